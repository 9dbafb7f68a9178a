import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { endEarly } from '../../../cli/shared/early-error';
import { nodeTooOld, OLDEST_NODE } from '../../../cli/node-version';

const { argv } = process;

afterEach(() => {
  process.argv = argv;
  jest.restoreAllMocks();
});

test.each([
  ['list', 'error RUNTIME_UNSUPPORTED: Too old.\n'],
  ['list --json', '{"error":{"code":"RUNTIME_UNSUPPORTED","message":"Too old.","exitCode":2}}\n'],
  ['list --jsonl', '{"error":{"code":"RUNTIME_UNSUPPORTED","message":"Too old.","exitCode":2}}\n'],
  ['list -- --json', 'error RUNTIME_UNSUPPORTED: Too old.\n'],
])('`paysession %s` ends before all other code with the error in the form that it asks for', (args, printed) => {
  process.argv = ['node', 'paysession', ...args.split(' ')];
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  endEarly({ code: 'RUNTIME_UNSUPPORTED', message: 'Too old.' }, 'error RUNTIME_UNSUPPORTED');
  expect([write.mock.calls, exit.mock.calls]).toEqual([[[printed]], [[2]]]);
});

test.each(['12.22.0', '18.20.4', '20.18.3'])(
  'Node %s is too old, and the message names the version that is needed',
  (version) => {
    expect(nodeTooOld(version)).toBe(
      `paysession needs Node 20.19 or later, and this is Node ${version}. Install Node 22 or 24, and run it again.`,
    );
  },
);

test.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('Node %s is not too old', (version) => {
  expect(nodeTooOld(version)).toBeUndefined();
});

test('the oldest Node is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
});
