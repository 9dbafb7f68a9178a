import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { formatDecision } from '../../../cli/shared/decisions';
import { formatTable, type Column } from '../../../cli/shared/table';
import { cutTo, hasColors, wrapped, fullTime, relativeTime, shortTime } from '../../../cli/shared/terminal';
import type { Decision } from '../../../src/protocol/state/recorded';

const terminal = { isTTY: true, columns: 40 };
const pipe = { columns: 40 };

describe('colours', () => {
  test.each([
    [terminal, {}, true],
    [pipe, {}, false],
    [terminal, { TERM: 'dumb' }, false],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [pipe, { FORCE_COLOR: '1' }, true],
    [terminal, { FORCE_COLOR: '0' }, false],
    [pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [pipe, { CI: 'true' }, false],
  ])('are used on %j with the environment %j: %s', (screen, env, expected) => {
    expect(hasColors(screen, env)).toBe(expected);
  });
});

describe('a table', () => {
  const columns: readonly Column[] = ['KEY', { title: 'REFERENCE', narrowed: 'cut' }, 'STARTED'];
  const linesOn = (screen: object, rows: readonly (readonly string[])[], titles = columns) =>
    stripVTControlCharacters(formatTable(titles, rows, screen)).split('\n');

  test('has columns as wide as their widest cells, if the terminal has room', () => {
    expect(linesOn(terminal, [['order-1', 'a', '3m ago']])).toEqual([
      'KEY      REFERENCE  STARTED',
      'order-1  a          3m ago',
    ]);
  });

  test('cuts the columns with `narrowed` first, and other columns if the table is still too wide', () => {
    const key = 'order-1042';
    expect(linesOn(terminal, [[key, 'r'.repeat(36), '3m ago']])[1]).toBe(
      `${key}  ${'r'.repeat(18)}…  3m ago`,
    );
    const [, both = ''] = linesOn(terminal, [['k'.repeat(60), 'r'.repeat(36), '3m ago']]);
    expect(both).toBe(`${'k'.repeat(20)}…  ${'r'.repeat(7)}…  3m ago`);
  });

  test('with double-width characters fits the terminal', () => {
    const [, line = ''] = linesOn(terminal, [['order-1', '支払'.repeat(20), '3m ago']]);
    expect(line).toMatch(/^order-1 {2}(支払)+支?… +3m ago$/);
    expect(line.length + (line.match(/[支払]/g)?.length ?? 0)).toBeLessThanOrEqual(40);
  });

  test('wraps a column with `narrowed: wrapped` between words', () => {
    const titles: readonly Column[] = ['ID', { title: 'WHAT', narrowed: 'wrapped' }];
    expect(linesOn(terminal, [['one', 'The payor completes the payment and leaves.']], titles)).toEqual([
      'ID   WHAT',
      'one  The payor completes the payment and',
      '     leaves.',
    ]);
  });

  test('is whole in a pipe, without colours', () => {
    const text = formatTable(columns, [['k'.repeat(60), 'r'.repeat(60), 'now']], pipe);
    expect(text).toBe(
      `KEY${' '.repeat(59)}REFERENCE${' '.repeat(53)}STARTED\n${'k'.repeat(60)}  ${'r'.repeat(60)}  now`,
    );
  });

  test('shows control characters as escapes', () => {
    expect(linesOn(terminal, [['a\nb', '\u001b[2J', '']])[1]).toBe('a\\nb  \\u001b[2J');
  });
});

describe('long texts', () => {
  test('are wrapped with an indent on a terminal, and not wrapped in a pipe', () => {
    const text = 'error CODE: one two three four five six seven eight';
    const screen = { isTTY: true, columns: 45 };
    expect(wrapped(text, screen, 2)).toBe('error CODE: one two three four five six\n  seven eight');
    expect(wrapped(text, pipe, 2)).toBe(text);
  });

  test('are cut to the terminal’s width minus the room that is reserved, and not cut in a pipe', () => {
    expect(cutTo('x'.repeat(50), terminal, 3)).toBe(`${'x'.repeat(36)}…`);
    expect(cutTo('x'.repeat(50), pipe, 3)).toBe('x'.repeat(50));
  });
});

describe('times', () => {
  const at = '2031-05-06T14:00:00.000Z';
  test.each([
    [0, 'now'],
    [5_000, '5s ago'],
    [179_000, '2m ago'],
    [7_200_000, '2h ago'],
    [30 * 86_400_000, '30d ago'],
    [-90_000, 'in 1m'],
  ])('are shown after %d ms as "%s"', (laterMs, expected) => {
    expect(relativeTime(at, Date.parse(at) + laterMs)).toBe(expected);
  });

  test('are relative for a person, and exact in a pipe', () => {
    const now = new Date().toISOString();
    expect([shortTime(now, terminal), fullTime(now, terminal)]).toEqual(['now', `${now} (now)`]);
    expect([shortTime(now, pipe), fullTime(now, pipe)]).toEqual([now, now]);
  });

  test('of a decision are relative if the stream that gets the line is a terminal', () => {
    const at = new Date().toISOString();
    const decision: Decision = { decision: 'retry', result: 'applied', at };
    expect(formatDecision(decision, terminal)).toBe(`retry: applied (${at}, now)`);
    expect(formatDecision(decision, pipe)).toBe(`retry: applied (${at})`);
  });
});
