import { setTimeout as sleep } from 'node:timers/promises';
import { isEngineBusy, isLostUpdate, isTimeout } from './engine-errors';

/** An engine under load may lose an answer that somebody waits for; one who asks again gets it. */
const ASK_AGAIN_AFTER_MS = 20_000;
const BUSY_PAUSE_MS = 1_000;

/** Waits for an answer within a time, in milliseconds, and asks again from time to time; `ask` can be repeated safely. */
export async function insisting<T>(
  timeoutMs: number,
  ask: (timeoutMs: number) => Promise<T>,
  askAgainAfterMs = ASK_AGAIN_AFTER_MS,
): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const askedAtMs = performance.now();
    const askMs = Math.max(0, Math.min(askAgainAfterMs, endsAtMs - askedAtMs));
    try {
      return await ask(askMs);
    } catch (error) {
      const endedAtMs = performance.now();
      // A call that was cut off looks like a timeout too, but comes early.
      const isUnanswered = isTimeout(error) && endedAtMs - askedAtMs >= askMs / 2;
      const isBusy = isEngineBusy(error) || isLostUpdate(error);
      if ((!isUnanswered && !isBusy) || endedAtMs >= endsAtMs) throw error;
      if (isBusy) await sleep(Math.min(BUSY_PAUSE_MS, endsAtMs - endedAtMs));
    }
  }
}
