import { describe, expect, test } from '@jest/globals';
import { spawnPaysession as paysession } from '../../support/cli/run-paysession';

test('`paysession complete` completes commands', async () => {
  const { code, stdout } = await paysession(['complete', '--', 'comp']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^completion\b.*\n:4\n$/)]);
});

describe('the completion script', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('for %s calls `paysession complete`', async (shell) => {
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
