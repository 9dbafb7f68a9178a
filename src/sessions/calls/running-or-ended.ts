import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { EndedSession } from '../ended-session';
import { failed } from './engine-errors';

const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;

/**
 * Sends a message to a session, or reads an ended one. The engine answers "not found" for a message to an ended session as
 * well as for an unknown one. One that was killed while a session continued as new has said it of a running session, too: it
 * has then not taken the message, which is sent again. Throws `PaysessionError` `ENGINE_REFUSED` if it goes on saying so.
 *
 * @param readEnd reads the session; `undefined` while it runs. Throws `WorkflowNotFoundError` for an unknown one.
 */
export async function runningOrEnded<T>(
  call: () => Promise<T>,
  readEnd: () => Promise<EndedSession | undefined>,
  fromEnd: (ended: EndedSession) => T,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const ended = await readEnd();
      if (ended !== undefined) return fromEnd(ended);
      if (attempt === MAX_ATTEMPTS) throw failed('ENGINE_REFUSED', error);
    }
    await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}
