import { afterEach, expect, jest, test } from '@jest/globals';
import { printFinding } from '../../../cli/commands/doctor/doctor';

const [, started = ''] = process.argv;

afterEach(() => {
  process.argv[1] = started;
  jest.restoreAllMocks();
});

function printed(startedAs: string): string {
  process.argv[1] = startedAs;
  const lines: unknown[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(line) > 0);
  printFinding({
    subject: 'Workers',
    ok: false,
    found: 'none; see `paysession keys check`',
    fix: 'Start one with `paysession worker`.',
    commands: ['paysession worker'],
  });
  return lines.join('');
}

test('doctor prints commands with npx if it was started from node_modules, and otherwise without npx', () => {
  expect(printed('/shop/node_modules/.bin/paysession')).toBe(
    '✘ Workers: none; see `npx paysession keys check`\n    Start one with `npx paysession worker`.\n    $ npx paysession worker\n',
  );
  expect(printed('/usr/local/bin/paysession')).toContain('    $ paysession worker\n');
});
