import { buildEngine } from './build-engine';
import { withCacheLock } from './cache-lock';
import { downloadEngine } from './download-engine';
import { CLI_VERSION, fillCache, findInCache } from './engine-cache';
import type { EngineAttempt, EngineWay } from './engine-not-found-error';
import { reasonOf } from './error-details';
import { findOnPath } from './find-on-path';
import type { OnProgress } from './progress';

/** A Temporal CLI on this machine, for `startEngine`. */
export interface EngineExecutable {
  readonly source: Exclude<EngineWay, 'address'>;
  /** Absolute path. */
  readonly executable: string;
}

export interface ExecutableSearch {
  readonly cacheFolder: string;
  readonly downloadBaseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/** The executable that was found, if any, and the ways that failed. */
export interface SearchResult {
  readonly engine?: EngineExecutable;
  readonly attempts: readonly EngineAttempt[];
}

/** Looks on the PATH and in the cache; downloads or builds while it holds the cache's lock. */
export async function findExecutable(search: ExecutableSearch): Promise<SearchResult> {
  const found = await firstThatWorks(search, ['path', 'cache']);
  if (found.engine !== undefined) return found;
  const made = await makeUnderLock(search);
  return { ...made, attempts: [...found.attempts, ...made.attempts] };
}

async function makeUnderLock(search: ExecutableSearch): Promise<SearchResult> {
  try {
    return await withCacheLock(search, async () => {
      // Whoever held the lock before may have filled the cache.
      const filled = await firstThatWorks(search, ['cache']);
      return filled.engine === undefined ? await firstThatWorks(search, ['download', 'build']) : filled;
    });
  } catch (error) {
    const reason = `the cache cannot be used: ${reasonOf(error)}`;
    return {
      attempts: [
        { way: 'download', reason },
        { way: 'build', reason },
      ],
    };
  }
}

async function firstThatWorks(
  search: ExecutableSearch,
  sources: readonly EngineExecutable['source'][],
): Promise<SearchResult> {
  const attempts: EngineAttempt[] = [];
  for (const source of sources) {
    try {
      const executable = await find(source, search);
      search.onProgress(`Using the Temporal server ${executable} (${SOURCES[source]})`);
      return { engine: { source, executable }, attempts };
    } catch (error) {
      attempts.push({ way: source, reason: reasonOf(error) });
    }
  }
  return { attempts };
}

const SOURCES: Readonly<Record<EngineExecutable['source'], string>> = {
  path: 'found on the PATH',
  cache: 'from the cache',
  download: 'downloaded',
  build: 'built with Go',
};

function find(source: EngineExecutable['source'], search: ExecutableSearch): Promise<string> {
  const { cacheFolder, downloadBaseUrl: baseUrl, env, onProgress } = search;
  switch (source) {
    case 'path':
      return findOnPath(env);
    case 'cache':
      return findInCache(cacheFolder);
    case 'download':
      onProgress(`Downloading the Temporal CLI ${CLI_VERSION} …`);
      return fillCache(cacheFolder, env, (folder) => downloadEngine({ ...search, baseUrl, folder }));
    case 'build':
      onProgress(
        `The download failed; building the Temporal CLI ${CLI_VERSION} with Go, which takes minutes the first time …`,
      );
      return fillCache(cacheFolder, env, (folder) => buildEngine({ ...search, folder }));
  }
}
