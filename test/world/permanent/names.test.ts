import { describe, expect, test } from '@jest/globals';
import recorded from '../../permanent/recorded.json';
import { joined, namesOfThisVersion, type Names } from '../../permanent/names';

const RECORDED: Names = recorded;
const now = namesOfThisVersion();

describe.each(Object.keys(joined(RECORDED, now)))('permanent names: %s', (subject) => {
  const before = RECORDED[subject] ?? [];
  const names = now[subject] ?? [];

  test('are all still there', () => {
    expect(before.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('are recorded (npm run record:names)', () => {
    expect(names.filter((name) => !before.includes(name))).toEqual([]);
  });
});

test('recording permanent names keeps the recorded names and adds new ones', () => {
  expect(joined({ a: ['1'] }, { a: ['2'], b: ['3'] })).toEqual({ a: ['1', '2'], b: ['3'] });
});
