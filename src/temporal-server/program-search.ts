import { delimiter, isAbsolute, join } from 'node:path';
import { PaysessionError } from '../errors';
import {
  fillCache,
  findInCache,
  isExecutable,
  withCacheLock,
  type CachedProgram,
  type CachePlace,
} from './cache';
import type { downloadProgram as DownloadProgram, DownloadOptions } from './download-program';
import type { Reports } from './progress';
import { reasonOf } from './run-command';

/** The ways to find a Temporal server. `maven` finds only the time-skipping test server. */
export type TemporalWay = 'path' | 'cache' | 'download' | 'build' | 'maven';

/** A way that has found no Temporal server, and the reason. */
export interface TemporalAttempt {
  readonly way: TemporalWay;
  readonly reason: string;
}

/** `TEMPORAL_NOT_FOUND`: no Temporal server was found. `attempts` lists each way that was tried, and why it failed. */
export class TemporalServerNotFoundError extends PaysessionError {
  override readonly name = 'TemporalServerNotFoundError';

  constructor(
    readonly attempts: readonly TemporalAttempt[],
    advice: string,
  ) {
    const lines = attempts.map(({ way, reason }) => `  ${way}: ${reason}`);
    super('TEMPORAL_NOT_FOUND', `${advice} Tried:\n${lines.join('\n')}`);
  }
}

/** An executable on this machine, and the way in which it was found. */
export interface TemporalServerExecutable {
  readonly source: TemporalWay;
  /** Absolute path. */
  readonly executable: string;
}

/** A way that puts a program into the cache, by a download or a build. */
export interface FillingWay {
  readonly way: TemporalWay;
  /** A description of the way in progress lines, such as `downloaded`. */
  readonly label: string;
  /** The progress line that announces this way. @default none */
  readonly announcement?: string | undefined;
  /** Puts the program into a folder. If that fails, throws an `Error` that says why. */
  readonly make: (folder: string) => Promise<void>;
}

/** Returns the way that downloads the official build of a program. */
export function officialDownload(name: string, options: Omit<DownloadOptions, 'folder'>): FillingWay {
  return {
    way: 'download',
    label: 'downloaded',
    announcement: options.sha256 && `Downloading the ${name} …`,
    make: (folder) => {
      // The module is loaded here, because no HTTP client is needed if the server is already on this machine.
      const { downloadProgram } = require('./download-program') as {
        readonly downloadProgram: typeof DownloadProgram;
      };
      return downloadProgram({ ...options, folder });
    },
  };
}

export interface ProgramSearch extends CachePlace, Reports {
  readonly env: NodeJS.ProcessEnv;
  /** True if the PATH is not searched. @default false */
  readonly ignoresPath?: boolean;
  /** The ways to fill the cache, in the order in which they are tried. */
  readonly making: readonly FillingWay[];
  /** The beginning of the error's message. */
  readonly advice: string;
}

/**
 * Finds a program on the PATH or in the cache. If it is not there, fills the cache. Only one process at a time fills the cache. Throws
 * `TemporalServerNotFoundError`.
 */
export async function searchProgram(search: ProgramSearch): Promise<TemporalServerExecutable> {
  const { program, env, ignoresPath = false, advice } = search;
  const attempts: TemporalAttempt[] = [];
  const path = { way: 'path', label: 'found on the PATH', find: () => findOnPath(program, env) } as const;
  const cache = { way: 'cache', label: 'from the cache', find: () => findInCache(search) } as const;
  const temporal =
    (await firstThatWorks(ignoresPath ? [cache] : [path, cache], search, attempts)) ??
    (await makeUnderLock(search, cache, attempts));
  if (temporal !== undefined) return temporal;
  throw new TemporalServerNotFoundError(attempts, advice);
}

async function makeUnderLock(
  search: ProgramSearch,
  cache: ProgramWay,
  attempts: TemporalAttempt[],
): Promise<TemporalServerExecutable | undefined> {
  const { making, env, onProgress } = search;
  const ways = making.map(({ way, label, announcement, make }) => ({
    way,
    label,
    find: () => {
      if (announcement !== undefined) onProgress(announcement);
      return fillCache(search, env, make);
    },
  }));
  try {
    return await withCacheLock(
      search,
      // While this process waited for the lock, another process may have filled the cache.
      async () =>
        (await firstThatWorks([cache], search, [])) ?? (await firstThatWorks(ways, search, attempts)),
    );
  } catch (error) {
    const reason = `the cache cannot be used: ${reasonOf(error)}`;
    attempts.push(...making.map(({ way }) => ({ way, reason })));
    return undefined;
  }
}

interface ProgramWay extends Pick<FillingWay, 'way' | 'label'> {
  /** Returns the absolute path of the program. Throws an `Error` that says why there is none. */
  readonly find: () => Promise<string>;
}

/** Tries ways until one of them works, and returns its result. Adds each way that fails to `attempts`. */
async function firstThatWorks(
  ways: readonly ProgramWay[],
  { program, onProgress }: Pick<ProgramSearch, 'program' | 'onProgress'>,
  attempts: TemporalAttempt[],
): Promise<TemporalServerExecutable | undefined> {
  for (const { way, label, find } of ways) {
    try {
      const executable = await find();
      onProgress(`Using the ${program.title} ${executable} (${label})`);
      return { source: way, executable };
    } catch (error) {
      attempts.push({ way, reason: reasonOf(error) });
    }
  }
  return undefined;
}

/**
 * Returns the first program with this name on the PATH, in folders with an absolute path. Throws an `Error` if there is none, or if its
 * check fails.
 */
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
