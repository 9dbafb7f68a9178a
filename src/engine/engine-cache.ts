import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXECUTABLE_NAME, checkRuns, isExecutable } from './executable';

/** The release of the Temporal CLI that paysession downloads or builds; it holds server 1.29.1. */
export const CLI_VERSION = '1.5.1';

const ENTRY = `temporal-${CLI_VERSION}`;
const WORK_PREFIX = `${ENTRY}.partial-`;

/** Where the cache keeps engines. */
export function engineFolder(cacheFolder: string): string {
  return join(cacheFolder, 'engine');
}

/** The lock that whoever fills the cache holds. */
export function lockPath(cacheFolder: string): string {
  return join(engineFolder(cacheFolder), `${ENTRY}.lock`);
}

/** The cached executable; throws an `Error` when there is none. */
export async function findInCache(cacheFolder: string): Promise<string> {
  const executable = cachedExecutable(cacheFolder);
  if (await isExecutable(executable)) return executable;
  throw new Error(`${executable} does not exist`);
}

/**
 * Lets `make` put the executable into a work folder, checks that it runs, and only then moves it into the cache in one
 * step: a crash at any moment leaves the cache as it was. The caller holds the lock.
 */
export async function fillCache(
  cacheFolder: string,
  env: NodeJS.ProcessEnv,
  make: (workFolder: string) => Promise<void>,
): Promise<string> {
  await removeAbandonedWork(cacheFolder);
  const workFolder = await mkdtemp(join(engineFolder(cacheFolder), WORK_PREFIX));
  try {
    await make(workFolder);
    const made = join(workFolder, EXECUTABLE_NAME);
    await checkRuns(made, env);
    const executable = cachedExecutable(cacheFolder);
    await mkdir(dirname(executable), { recursive: true });
    await rename(made, executable);
    return executable;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** Work folders of others belong to processes that crashed, since we hold the lock. */
async function removeAbandonedWork(cacheFolder: string): Promise<void> {
  const folder = engineFolder(cacheFolder);
  const abandoned = (await readdir(folder)).filter((name) => name.startsWith(WORK_PREFIX));
  await Promise.all(abandoned.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function cachedExecutable(cacheFolder: string): string {
  return join(engineFolder(cacheFolder), ENTRY, EXECUTABLE_NAME);
}
