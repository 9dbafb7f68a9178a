import { describe, expect, test } from '@jest/globals';
import recorded from '../../permanent/recorded.json';
import { joined, namesOfThisVersion, type Names } from '../../permanent/names';

const RECORDED: Names = recorded;
const now = namesOfThisVersion();

// Names such as metric names and error codes must stay the same in later versions. `recorded.json` lists them.
describe.each(Object.keys(joined(RECORDED, now)))('permanent names: %s', (subject) => {
  const before = RECORDED[subject] ?? [];
  const names = now[subject] ?? [];

  test('all recorded names still exist', () => {
    expect(before.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('all current names are recorded (npm run record:names)', () => {
    expect(names.filter((name) => !before.includes(name))).toEqual([]);
  });
});

test('npm run record:names keeps the recorded names and adds new names', () => {
  expect(joined({ a: ['1'] }, { a: ['2'], b: ['3'] })).toEqual({ a: ['1', '2'], b: ['3'] });
});
