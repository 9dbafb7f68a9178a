import { describe, expect, test } from '@jest/globals';
import { manualClock } from '../../../sandbox';

describe('the manual clock', () => {
  test('moves only when it is advanced', () => {
    const clock = manualClock(5);
    clock.advance(10);
    expect(clock.now()).toBe(15);
  });
});
