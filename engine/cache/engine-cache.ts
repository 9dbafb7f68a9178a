import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachedProgram } from './cached-program';
import { isExecutable } from './temporal-cli';

/** Where the cache keeps engines. */
export function engineFolder(cacheFolder: string): string {
  return join(cacheFolder, 'engine');
}

/** The lock that whoever fills the cache with a program holds. */
export function lockPath(cacheFolder: string, { entry }: CachedProgram): string {
  return join(engineFolder(cacheFolder), `${entry}.lock`);
}

/** The cached executable; throws an `Error` when there is none. */
export async function findInCache(cacheFolder: string, program: CachedProgram): Promise<string> {
  const executable = join(programFolder(cacheFolder, program), program.executableName);
  if (await isExecutable(executable)) return executable;
  throw new Error(`${executable} does not exist`);
}

export interface FillCacheOptions {
  readonly cacheFolder: string;
  readonly program: CachedProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Puts the program into a work folder. */
  readonly make: (workFolder: string) => Promise<void>;
}

/**
 * Lets `make` put the program into a work folder, checks that it runs, and only then moves the folder into the cache in
 * one step: a crash leaves no half-made program in the cache. The caller holds the lock.
 */
export async function fillCache({ cacheFolder, program, env, make }: FillCacheOptions): Promise<string> {
  await removeAbandonedWork(cacheFolder, program);
  const workFolder = await mkdtemp(join(engineFolder(cacheFolder), workPrefix(program)));
  try {
    await make(workFolder);
    await program.check(join(workFolder, program.executableName), env);
    await chmod(workFolder, 0o755);
    const folder = programFolder(cacheFolder, program);
    await rm(folder, { recursive: true, force: true });
    await rename(workFolder, folder);
    return join(folder, program.executableName);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** We hold the lock, so work folders of others belong to processes that crashed. */
async function removeAbandonedWork(cacheFolder: string, program: CachedProgram): Promise<void> {
  const folder = engineFolder(cacheFolder);
  const abandoned = (await readdir(folder)).filter((name) => name.startsWith(workPrefix(program)));
  await Promise.all(abandoned.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

const workPrefix = ({ entry }: CachedProgram): string => `${entry}.partial-`;

function programFolder(cacheFolder: string, { entry }: CachedProgram): string {
  return join(engineFolder(cacheFolder), entry);
}
