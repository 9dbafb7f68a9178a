import { withCacheLock, type CacheLockOptions } from '../cache/cache-lock';
import type { EngineAttempt, EngineWay } from './engine-not-found-error';
import { reasonOf } from '../error-details';
import type { OnProgress } from '../progress';

/** An executable on this machine, and the way that led to it. */
export interface EngineExecutable {
  readonly source: Exclude<EngineWay, 'address'>;
  /** Absolute path. */
  readonly executable: string;
}

/** A way to a program. */
export interface ProgramWay {
  readonly way: EngineExecutable['source'];
  /** How the program was found, for progress. */
  readonly label: string;
  /** Gives the absolute path; throws an `Error` that says why there is none. */
  readonly find: () => Promise<string>;
}

export interface ProgramSearch extends CacheLockOptions {
  /** Ways that cost nothing, in order. */
  readonly quick: readonly ProgramWay[];
  /** Whoever held the lock before may have filled the cache. */
  readonly cache: ProgramWay;
  /** Ways that fill the cache, in order, taken while the lock is held. */
  readonly making: readonly ProgramWay[];
}

/** The executable that was found, if any, and the ways that failed. */
export interface SearchResult {
  readonly engine?: EngineExecutable;
  readonly attempts: readonly EngineAttempt[];
}

/** Tries the quick ways, and then those that fill the cache while it holds the cache's lock. */
export async function searchProgram(search: ProgramSearch): Promise<SearchResult> {
  const found = await firstThatWorks([...search.quick, search.cache], search);
  if (found.engine !== undefined) return found;
  const made = await makeUnderLock(search);
  return { ...made, attempts: [...found.attempts, ...made.attempts] };
}

async function makeUnderLock(search: ProgramSearch): Promise<SearchResult> {
  try {
    return await withCacheLock(search, async () => {
      const filled = await firstThatWorks([search.cache], search);
      return filled.engine === undefined ? await firstThatWorks(search.making, search) : filled;
    });
  } catch (error) {
    const reason = `the cache cannot be used: ${reasonOf(error)}`;
    return { attempts: search.making.map(({ way }) => ({ way, reason })) };
  }
}

async function firstThatWorks(
  ways: readonly ProgramWay[],
  { program, onProgress }: { readonly program: ProgramSearch['program']; readonly onProgress: OnProgress },
): Promise<SearchResult> {
  const attempts: EngineAttempt[] = [];
  for (const { way, label, find } of ways) {
    try {
      const executable = await find();
      onProgress(`Using the ${program.title} ${executable} (${label})`);
      return { engine: { source: way, executable }, attempts };
    } catch (error) {
      attempts.push({ way, reason: reasonOf(error) });
    }
  }
  return { attempts };
}
