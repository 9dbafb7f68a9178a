import { describe, expect, test } from '@jest/globals';
import { paysession } from '../../support/cli/run-paysession';
import { wantsJson } from '../../../cli/shared/early-error';

const ESCAPE = '\u001b[';
const scenarios = ['sandbox', '--scenarios'];

describe('the output of a command', () => {
  test('has no colours in a pipe; FORCE_COLOR switches colours on, and NO_COLOR switches them off', async () => {
    expect((await paysession(scenarios)).stdout).not.toContain(ESCAPE);
    const forced = await paysession(scenarios, { env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain(`${ESCAPE}1mREFERENCE ID`);
    const both = await paysession(scenarios, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(both.stdout).not.toContain(ESCAPE);
  });
});

describe('the option --json', () => {
  test('is not recognised after --', () => {
    expect(wantsJson(['state', 'k', '--json'])).toBe(true);
    expect(wantsJson(['state', '--', '--json'])).toBe(false);
  });

  const failing = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, stdout, stderr } = await paysession([...args, '--json'], { env });
    expect({ stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ stdout: '', lines: 1 });
    const { error } = JSON.parse(stderr) as { error: { exitCode: number } };
    expect(error.exitCode).toBe(code);
    return error;
  };

  test('prints one object if the server does not answer', async () => {
    expect(await failing(['state', 'k', '--address', '127.0.0.1:1'])).toEqual({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1 does not answer'),
      remedy: expect.stringContaining('paysession dev'),
      exitCode: 5,
    });
  });

  test('prints one object that lists every invalid setting', async () => {
    const error = await failing(['list'], { TEMPORAL_ADDRESS: 'x', TEMPORAL_TLS: 'maybe' });
    expect(error).toMatchObject({
      code: 'INVALID_SETTINGS',
      failures: [{ path: 'TEMPORAL_ADDRESS' }, { path: 'TEMPORAL_TLS' }],
      exitCode: 2,
    });
  });

  test.each([
    [['state', 'k', '--colour'], 'unknown option'],
    [['state'], 'missing required argument'],
    [['worker'], 'unknown option'],
    [['list', '--address', 'http://x'], 'HOST:PORT'],
  ])('prints one object for the invalid arguments %j', async (args, message) => {
    expect(await failing(args)).toEqual({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(message),
      exitCode: 2,
    });
  });
});
