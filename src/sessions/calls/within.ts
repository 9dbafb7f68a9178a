import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { EngineTimeout } from './engine-errors';

/** The engine's own answer, that the deadline has passed, comes first. */
const GRACE_MS = 100;
/** Longer timers would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Runs a call to the engine within a time, in milliseconds; after it throws an error that `isTimeout` recognises. The time is
 * kept here too, because a worker's connection counts a deadline anew for each attempt, and repeats a call that the engine
 * cut off first.
 */
export async function within<T>(client: Client, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  const answered = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(Math.min(timeoutMs + GRACE_MS, LONGEST_MS), undefined, { signal: answered.signal });
    throw new EngineTimeout(`the Temporal server did not answer within ${timeoutMs} ms`);
  };
  try {
    return await Promise.race([client.withDeadline(Date.now() + timeoutMs, call), late()]);
  } finally {
    answered.abort();
  }
}
