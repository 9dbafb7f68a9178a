import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CachedProgram } from './cached-program';
import { engineFolder, lockPath } from './engine-cache';
import { systemCode, needOptionalPackages } from '../../src/files';
import { reportEvery, type OnProgress } from '../progress';

export interface CacheLockOptions {
  readonly cacheFolder: string;
  readonly program: CachedProgram;
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/** A lock that was not renewed for this long belongs to a process that is gone. */
const STALE_MS = 10_000;
const RENEW_MS = 2_000;

const POLL_MS = 250;

/** Longer than a download and a build together may take. */
const MAX_WAIT_MS = 25 * 60_000;

/** Runs `work` while no other process fills the cache; waits for its turn. */
export async function withCacheLock<T>(options: CacheLockOptions, work: () => Promise<T>): Promise<T> {
  needOptionalPackages('Filling the cache', ['proper-lockfile']);
  await mkdir(engineFolder(options.cacheFolder), { recursive: true });
  const release = await acquire(options);
  try {
    return await work();
  } finally {
    await release().catch(ignoreLostLock);
  }
}

async function acquire(options: CacheLockOptions): Promise<() => Promise<void>> {
  const { cacheFolder, program, onProgress, progressIntervalMs } = options;
  const immediate = await tryLock(options);
  if (immediate !== undefined) return immediate;

  const line = `Another process is preparing the ${program.title}; waiting for it …`;
  onProgress(line);
  const stopReports = reportEvery(progressIntervalMs, onProgress, () => line);
  const deadline = performance.now() + MAX_WAIT_MS;
  try {
    while (performance.now() < deadline) {
      await sleep(POLL_MS);
      const release = await tryLock(options);
      if (release !== undefined) return release;
    }
  } finally {
    stopReports();
  }
  throw new Error(
    `another process has held ${lockPath(cacheFolder, program)} for more than ${MAX_WAIT_MS / 60_000} min`,
  );
}

async function tryLock({
  cacheFolder,
  program,
}: CacheLockOptions): Promise<(() => Promise<void>) | undefined> {
  // Loaded here, because a machine that has a Temporal server needs no lock.
  const { lock } = await import('proper-lockfile');
  try {
    return await lock(engineFolder(cacheFolder), {
      lockfilePath: lockPath(cacheFolder, program),
      stale: STALE_MS,
      update: RENEW_MS,
      onCompromised: ignoreLostLock,
    });
  } catch (error) {
    if (systemCode(error) === 'ELOCKED') return undefined;
    throw error;
  }
}

/** A machine that sleeps loses its lock. Two processes may then fill the cache; each moves the same files there in one step. */
function ignoreLostLock(): void {
  return undefined;
}
