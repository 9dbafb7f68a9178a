import { describe, expect, test } from '@jest/globals';
import { pastTime } from '../../../cli/shared/input/parse-arguments';
import { parsePort } from '../../../cli/shared/input/ports';
import { createProgram } from '../../../cli/program';

test.each(['0', '4010', '65535'])('%j is a port', (text) => {
  expect(parsePort(text)).toBe(Number(text));
});

test.each(['', ' ', '0x50', '1e3', '80.0', '-1', '65536'])('%j is no port', (text) => {
  expect(() => parsePort(text)).toThrow('must be a whole number from 0 to 65535.');
});

describe('a time in the past', () => {
  test('is one with its zone, or so long ago', () => {
    expect(pastTime('2026-05-06T14:00:00+02:00').toISOString()).toBe('2026-05-06T12:00:00.000Z');
    expect(pastTime('2026-05-06').toISOString()).toBe('2026-05-06T00:00:00.000Z');
    const past = pastTime('90m');
    expect(Date.now() - past.getTime()).toBeGreaterThanOrEqual(90 * 60_000);
  });

  test.each(['', '2026', '2026-13-01', '2026-05-06T14:00:00', 'yesterday', '-1h'])('is not %j', (text) => {
    expect(() => pastTime(text)).toThrow('must be a time such as');
  });
});

test.each([
  ['list', '--limit', 100_000],
  ['start-many', '--concurrency', 200],
])('%s %s takes a whole number from 1 to %i, in digits alone', (command, option, maximum) => {
  const found = createProgram()
    .commands.find((each) => each.name() === command)
    ?.options.find(({ long }) => long === option);
  const parse = (text: string): unknown => found?.parseArg?.<unknown>(text, undefined);
  expect([parse('1'), parse(String(maximum))]).toEqual([1, maximum]);
  for (const text of ['', '0', '0x10', '1e1', String(maximum + 1)])
    expect(() => parse(text)).toThrow(`must be a whole number from 1 to ${maximum}.`);
});
