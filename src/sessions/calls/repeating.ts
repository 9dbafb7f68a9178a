import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ATTEMPTS = 6;

/**
 * Makes a call again as long as `firstPauseMs` gives a pause for its error, six times in all; each pause is twice as long as
 * the one before. Throws the last error.
 */
export async function repeating<T>(
  call: (attempt: number) => Promise<T>,
  firstPauseMs: (error: unknown) => number | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt);
    } catch (error) {
      const pauseMs = firstPauseMs(error);
      if (pauseMs === undefined || attempt === MAX_ATTEMPTS) throw error;
      await sleep(pauseMs * 2 ** (attempt - 1));
    }
  }
}
