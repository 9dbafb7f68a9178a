import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { runCommand } from './run-command';

/** The file name of the Temporal CLI, which holds the server. */
export const EXECUTABLE_NAME = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

const VERSION_TIMEOUT_MS = 20_000;

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Makes sure that a file runs here and is the Temporal CLI; throws an `Error` that says why not. */
export async function checkRuns(executable: string, env: NodeJS.ProcessEnv): Promise<void> {
  const output = await runCommand({
    file: executable,
    args: ['--version'],
    env,
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  if (!/^temporal version /m.test(output)) throw new Error(`${executable} is not the Temporal CLI`);
}
