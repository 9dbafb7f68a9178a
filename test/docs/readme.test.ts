import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createProgram } from '../../cli/program';
import { EXIT, EXIT_MEANINGS } from '../../cli/shared/exit-codes';
import { ERROR_CODES } from '../../src/errors';
import { SETTINGS } from '../../src/settings';

const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

/** The cells of each table row of the README, or of a part of it. */
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const rows = rowsOf(readme);

const hasRow = (...cells: string[]) =>
  rows.some((row) => cells.every((cell, column) => row[column] === cell));

test.each(Object.entries(ERROR_CODES))('the error table has %s', (code, { meaning, remedy }) => {
  expect(hasRow(`\`${code}\``, meaning, remedy)).toBe(true);
});

test.each(SETTINGS.map((setting) => [setting.name, setting] as const))(
  'the settings table has %s',
  (name, setting) => {
    const fallback = 'default' in setting ? `\`${setting.default}\`` : '';
    expect(hasRow(`\`${name}\``, fallback, setting.meaning)).toBe(true);
  },
);

test.each(Object.entries(EXIT))('the exit codes have %s', (name, code) => {
  expect(hasRow(String(code), EXIT_MEANINGS[name as keyof typeof EXIT])).toBe(true);
});

test('every command is documented, and nothing else is', () => {
  const [, usage = ''] = readme.split('| Command ');
  const documented = rowsOf(usage.split('| Exit code')[0] ?? '').flatMap(
    ([first = '']) => (/^(`[a-z-]+`(, )?)+$/.test(first) ? first.match(/[a-z-]+/g) : []) ?? [],
  );
  const commands = createProgram().commands.map((command) => command.name());
  expect(documented.sort()).toEqual(commands.sort());
});
