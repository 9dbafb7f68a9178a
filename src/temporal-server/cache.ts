import { constants } from 'node:fs';
import { access, chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whileReporting, type Reports } from './progress';
import { makeFolder, needOptionalPackages, systemCode } from '../files';

/** A program that the cache folder keeps. Each program has a folder there. */
export interface CachedProgram {
  /** The program's name in progress lines. */
  readonly title: string;
  /** The name of the program's folder in the cache: name and version. */
  readonly entry: string;
  readonly executableName: string;
  /** Checks that a file is the program, and that it runs on this machine. Otherwise, throws an `Error` that says why. */
  readonly check: (executable: string, env: NodeJS.ProcessEnv) => Promise<void>;
}

/** A program's place in the cache. */
export interface CachePlace {
  readonly cacheFolder: string;
  readonly program: CachedProgram;
}

/** Returns the executable in the cache. Throws an `Error` if there is none. */
export async function findInCache(place: CachePlace): Promise<string> {
  const executable = join(programFolder(place), place.program.executableName);
  if (await isExecutable(executable)) return executable;
  throw new Error(`${executable} does not exist`);
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Puts a program into the cache. Calls `make` with a work folder, checks that the program in it runs, and then moves the folder into the
 * cache in one step. So a crash never leaves an incomplete program in the cache. The caller must hold the lock.
 */
export async function fillCache(
  place: CachePlace,
  env: NodeJS.ProcessEnv,
  make: (workFolder: string) => Promise<void>,
): Promise<string> {
  const { program, cacheFolder } = place;
  await removeAbandonedWork(place);
  const workFolder = await mkdtemp(join(temporalFolder(cacheFolder), workPrefix(program)));
  try {
    await make(workFolder);
    await program.check(join(workFolder, program.executableName), env);
    await chmod(workFolder, 0o755);
    const folder = programFolder(place);
    await rm(folder, { recursive: true, force: true });
    await rename(workFolder, folder);
    return join(folder, program.executableName);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** Removes the work folders of processes that have crashed. The caller holds the lock, so no other process uses a work folder. */
async function removeAbandonedWork({ cacheFolder, program }: CachePlace): Promise<void> {
  const folder = temporalFolder(cacheFolder);
  const abandoned = (await readdir(folder)).filter((name) => name.startsWith(workPrefix(program)));
  await Promise.all(abandoned.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

const temporalFolder = (cacheFolder: string): string => join(cacheFolder, 'temporal');

const programFolder = ({ cacheFolder, program }: CachePlace): string =>
  join(temporalFolder(cacheFolder), program.entry);

const workPrefix = ({ entry }: CachedProgram): string => `${entry}.partial-`;

const lockPath = ({ cacheFolder, program }: CachePlace): string =>
  join(temporalFolder(cacheFolder), `${program.entry}.lock`);

/** If a lock was not renewed for this long, it is taken over: its process has ended, or its machine has slept. */
const STALE_MS = 10_000;
const RENEW_MS = 2_000;

const POLL_MS = 250;

/** The longest wait for the lock. It is longer than a download and a build together. */
const MAX_WAIT_MS = 25 * 60_000;

/** Waits for the program's lock, runs `work`, and releases the lock. Only one process at a time can fill the cache with the program. */
export async function withCacheLock<T>(place: CachePlace & Reports, work: () => Promise<T>): Promise<T> {
  needOptionalPackages('Filling the cache', ['proper-lockfile']);
  makeFolder(temporalFolder(place.cacheFolder));
  const release = (await tryLock(place)) ?? (await waitForLock(place));
  try {
    return await work();
  } finally {
    await release().catch(ignoreLostLock);
  }
}

async function waitForLock(place: CachePlace & Reports): Promise<() => Promise<void>> {
  const line = `Another process is preparing the ${place.program.title}; waiting for it …`;
  place.onProgress(line);
  const deadline = performance.now() + MAX_WAIT_MS;
  return whileReporting(
    place,
    () => line,
    async () => {
      while (performance.now() < deadline) {
        await sleep(POLL_MS);
        const release = await tryLock(place);
        if (release !== undefined) return release;
      }
      throw new Error(
        `another process has held ${lockPath(place)} for more than ${MAX_WAIT_MS / 60_000} min`,
      );
    },
  );
}

async function tryLock(place: CachePlace): Promise<(() => Promise<void>) | undefined> {
  // The package is loaded here, because it is optional.
  const { lock } = await import('proper-lockfile');
  try {
    return await lock(temporalFolder(place.cacheFolder), {
      lockfilePath: lockPath(place),
      stale: STALE_MS,
      update: RENEW_MS,
      onCompromised: ignoreLostLock,
    });
  } catch (error) {
    if (systemCode(error) === 'ELOCKED') return undefined;
    throw error;
  }
}

/**
 * Ignores that a lock was lost, for instance while the machine slept. Two processes may then fill the cache at the same time. That is
 * harmless, because each moves equal files there in one step.
 */
function ignoreLostLock(): void {
  return undefined;
}
