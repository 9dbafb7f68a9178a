import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError } from '../../src/errors';
import type { PaymentSessions } from '../../src/sessions';

const LOOK_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 10_000;

/** The payment service's id of the session with a key, once there is one. */
export async function openedSessionOf(sessions: PaymentSessions, key: string): Promise<string> {
  const givesUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      return (await sessions.get(key).opened()).sessionId;
    } catch (error) {
      if (!isPaysessionError(error, 'SESSION_NOT_FOUND') || performance.now() > givesUpAtMs) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}
