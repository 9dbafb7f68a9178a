import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { EngineTimeout } from './engine-errors';

/** The engine's own answer, that the deadline has passed, comes first. */
const GRACE_MS = 100;
/** Longer timers would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Runs a call to the engine within a time, in milliseconds; what `isTimeout` tells is thrown after it. The time is kept
 * here too: a worker's connection counts a deadline anew for each attempt, and repeats a call that was cut off by it when
 * the engine noticed first.
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
