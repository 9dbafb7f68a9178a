import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { CachedProgram } from './cached-program';
import { runCommand } from '../run-command';

/** The release of the Temporal CLI that paysession downloads or builds; it holds server 1.29.1. */
export const CLI_VERSION = '1.5.1';

const VERSION_TIMEOUT_MS = 20_000;

/** The Temporal CLI, which holds the server. */
export const TEMPORAL_CLI: CachedProgram = {
  title: 'Temporal server',
  entry: `temporal-${CLI_VERSION}`,
  executableName: process.platform === 'win32' ? 'temporal.exe' : 'temporal',
  check: async (executable, env) => {
    const output = await runCommand({
      file: executable,
      args: ['--version'],
      env,
      timeoutMs: VERSION_TIMEOUT_MS,
    });
    if (!/^temporal version /m.test(output)) throw new Error(`${executable} is not the Temporal CLI`);
  },
};

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
