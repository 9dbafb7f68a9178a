import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a promise gives within a time, in milliseconds; else nothing, while it goes on. Rejects with what it throws within that
 * time.
 */
export async function soon<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined> {
  const done = new AbortController();
  // A failure after that time is told to whoever asks next.
  promise.catch(() => undefined);
  try {
    return await Promise.race([
      promise,
      sleep(withinMs, undefined, { signal: done.signal }).catch(() => undefined),
    ]);
  } finally {
    done.abort();
  }
}
