import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a healthy answer takes, and short beside the time that a caller gives a query. */
const AGAIN_AFTER_MS = 4_000;

/**
 * Asks once more beside the first time where that gets no answer, and takes the answer that comes first. A worker that freezes
 * or loses its network keeps the queries that the engine hands it, and nobody hands those to another worker. Only for calls
 * that change nothing.
 */
export async function askedTwice<T>(ask: () => Promise<T>, againAfterMs = AGAIN_AFTER_MS): Promise<T> {
  const answered = new AbortController();
  const first = ask();
  const second = async (): Promise<T> => {
    await sleep(againAfterMs, undefined, { signal: answered.signal });
    try {
      return await ask();
    } catch {
      // The first one may still be answered, and says what is wrong if it is not.
      return first;
    }
  };
  try {
    return await Promise.race([first, second()]);
  } finally {
    answered.abort();
  }
}
