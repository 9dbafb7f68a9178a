import { delimiter, isAbsolute, join } from 'node:path';
import type { CachedProgram } from '../cache/cached-program';
import { isExecutable } from '../cache/temporal-cli';

/** The first program of this name on the PATH; throws an `Error` that says why there is none. */
export async function findOnPath(program: CachedProgram, env: NodeJS.ProcessEnv): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const executable = join(folder, program.executableName);
    if (!(await isExecutable(executable))) continue;
    await program.check(executable, env);
    return executable;
  }
  throw new Error(`no \`${program.executableName}\` on the PATH`);
}
