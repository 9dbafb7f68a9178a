import { describe, expect, test } from '@jest/globals';
import { spawnPaysession as paysession } from '../../support/cli/run-paysession';

/** What the shell's script is told for the words before the cursor; the last one is being typed. */
async function complete(...words: string[]): Promise<readonly string[]> {
  const { code, stdout } = await paysession(['complete', '--', ...words]);
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

const FILES = ':0';
const NO_FILES = ':4';

describe('completion at Tab', () => {
  test('of commands', async () => {
    expect(await complete('st')).toEqual(['start', 'start-many', 'state', NO_FILES]);
    expect(await complete('comp')).toEqual(['completion', NO_FILES]);
  });

  test('of options, and of their choices', async () => {
    expect(await complete('list', '--r')).toEqual(expect.arrayContaining(['--reference', '--running']));
    expect(await complete('state', 'order-1', '--ad')).toEqual(['--address', NO_FILES]);
    expect(await complete('list', '--kind', '')).toEqual(['EFT', 'GEFT', 'e-Transfer', NO_FILES]);
  });

  test('of files where a command takes one', async () => {
    expect(await complete('start', '--key', 'k', '--request', '')).toEqual([FILES]);
    expect(await complete('start-many', 'pay')).toEqual([FILES]);
    expect(await complete('start-many', '--conc')).toEqual(['--concurrency', NO_FILES]);
  });
});

describe('the script', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('for %s asks the command line', async (shell) => {
    expect(await paysession(['completion', shell])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/paysession complete '?--/),
      stderr: '',
    });
  });

  test('for another shell is refused', async () => {
    expect(await paysession(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish, powershell'),
    });
  });
});
