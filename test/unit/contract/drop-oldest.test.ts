import { describe, expect, test } from '@jest/globals';
import { dropOldest } from '../../../src/contract/values/drop-oldest';

describe('a bounded collection', () => {
  test('drops nothing while it has room', () => {
    const kept = new Map([['one', 1]]);
    expect(dropOldest(kept, 1)).toBeUndefined();
    expect([...kept]).toEqual([['one', 1]]);
  });

  test('drops the key that was inserted first, and returns that key', () => {
    const kept = new Map([
      ['one', 1],
      ['two', 2],
    ]);
    kept.set('three', 3);
    expect(dropOldest(kept, 2)).toBe('one');
    expect([...kept.keys()]).toEqual(['two', 'three']);
  });

  test('keeps a key longer if the key was deleted and inserted again', () => {
    const kept = new Set(['one', 'two']);
    kept.delete('one');
    kept.add('one').add('three');
    expect(dropOldest(kept, 2)).toBe('two');
    expect([...kept]).toEqual(['one', 'three']);
  });
});
