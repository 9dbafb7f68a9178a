import { expect } from '@jest/globals';
import { spawnPaysession } from './run-paysession';

/** Returns the completion that the shell’s script would receive for these words. The last word is the one that is being typed. */
export async function complete(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<readonly string[]> {
  const { code, stdout } = await spawnPaysession(['complete', '--', ...words], { env });
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}
