import { delimiter, isAbsolute, join } from 'node:path';
import { EXECUTABLE_NAME, checkRuns, isExecutable } from './executable';

/** The first Temporal CLI on the PATH; throws an `Error` that says why there is none. */
export async function findOnPath(env: NodeJS.ProcessEnv): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const executable = join(folder, EXECUTABLE_NAME);
    if (!(await isExecutable(executable))) continue;
    await checkRuns(executable, env);
    return executable;
  }
  throw new Error('no `temporal` on the PATH');
}
