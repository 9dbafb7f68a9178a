import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../../cli/program';
import { wantsJson } from '../../../cli/shared/early-error';
import { jsonRows, type JsonRowsOptions } from '../../../cli/shared/output';

afterEach(() => {
  jest.restoreAllMocks();
});

function printed(
  options: JsonRowsOptions,
  summary?: { readonly name: string; readonly value: object },
): string {
  const written: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const rows = jsonRows(options);
  rows.add({ key: 'a' });
  rows.add({ key: 'b' });
  rows.end(summary);
  return written.join('');
}

describe('a command’s list of values', () => {
  const summary = { name: 'lines', value: { failed: 0 } };

  test('is one array with --json, or one object if there is a summary', () => {
    expect(JSON.parse(printed({ json: true }))).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(JSON.parse(printed({ json: true }, summary))).toEqual({
      lines: [{ key: 'a' }, { key: 'b' }],
      summary: { failed: 0 },
    });
  });

  test('is one line for each value with --jsonl, with the summary last', () => {
    expect(printed({ jsonl: true })).toBe('{"key":"a"}\n{"key":"b"}\n');
    expect(printed({ jsonl: true }, summary)).toBe('{"key":"a"}\n{"key":"b"}\n{"summary":{"failed":0}}\n');
  });

  test('is not printed without --json or --jsonl', () => {
    expect(printed({}, summary)).toBe('');
  });
});

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

test('every command describes --json as one JSON value, and only --jsonl as lines', () => {
  const options = leavesOf(createProgram()).flatMap((command) => command.options);
  const descriptionsOf = (long: string) =>
    options.filter((option) => option.long === long).map(({ description }) => description);
  expect(descriptionsOf('--json').length).toBeGreaterThan(20);
  expect(descriptionsOf('--json').filter((description) => /lines?\b/.test(description))).toEqual([]);
  expect([...new Set(descriptionsOf('--jsonl'))]).toEqual([
    'print one JSON object per line, each as it comes',
  ]);
});

test('errors are JSON if --json or --jsonl is an option, but not if it comes after "--"', () => {
  expect([['--json'], ['--jsonl'], ['--', '--jsonl']].map((args) => wantsJson(args))).toEqual([
    true,
    true,
    false,
  ]);
});
