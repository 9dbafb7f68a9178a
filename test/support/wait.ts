import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError, type PaymentSessionHandle, type SessionState } from '../../src';

const LOOK_EVERY_MS = 25;
/** Ten times the longest wait on a busy machine, but less than the time limit of a test. */
const GIVE_UP_AFTER_MS = 240_000;

/**
 * Reads a value again and again until `isWanted` returns true for it, and returns the value. Throws an error with the last value after
 * `giveUpAfterMs`, by default four minutes.
 */
export async function until<T>(
  look: () => Promise<T>,
  isWanted: (value: T) => boolean,
  giveUpAfterMs = GIVE_UP_AFTER_MS,
): Promise<T> {
  const givesUpAtMs = Date.now() + giveUpAfterMs;
  for (;;) {
    const value = await look();
    if (isWanted(value)) return value;
    if (Date.now() > givesUpAtMs)
      throw new Error(`gave up waiting; the last value was ${JSON.stringify(value)}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Waits until the session exists and `isWanted` returns true for its state. Returns the state. */
export async function stateOf(
  session: PaymentSessionHandle,
  isWanted: (state: SessionState) => boolean,
): Promise<SessionState> {
  const look = () =>
    session.state().catch((error: unknown) => {
      if (isPaysessionError(error, 'SESSION_NOT_FOUND')) return undefined;
      throw error;
    });
  const state = await until(look, (found) => found !== undefined && isWanted(found));
  if (state === undefined) throw new Error('there is no session');
  return state;
}
