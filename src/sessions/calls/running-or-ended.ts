import { WorkflowNotFoundError } from '@temporalio/client';
import { isPaysessionError } from '../../errors';
import type { EndedSession } from '../ended-session';
import { failed, isCutOffUpdate } from './engine-errors';
import { repeating } from './repeating';

const PAUSE_MS = 100;

/**
 * Sends a message to a session, or reads an ended one. The engine answers "not found" for a message to an ended session as
 * well as for an unknown one. One that was killed while a session continued as new has said it of a running session, too: it
 * has then not taken the message, which is sent again. So is an update whose run was reset before it answered: its id makes it the same
 * one where the new run has it already. Throws `PaysessionError` `ENGINE_REFUSED` if it goes on saying so.
 *
 * @param readEnd reads the session; `undefined` while it runs. Throws `WorkflowNotFoundError` for an unknown one.
 */
export function runningOrEnded<T>(
  call: () => Promise<T>,
  readEnd: () => Promise<EndedSession | undefined>,
  fromEnd: (ended: EndedSession) => T,
): Promise<T> {
  const sendOrRead = async (): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (!isOfNoRun(error)) throw error;
      const ended = await readEnd();
      if (ended === undefined) throw failed('ENGINE_REFUSED', error);
      return fromEnd(ended);
    }
  };
  return repeating(sendOrRead, (error) =>
    isPaysessionError(error, 'ENGINE_REFUSED') && isOfNoRun(error.cause) ? PAUSE_MS : undefined,
  );
}

/** Whether the run that a message was for is over, or there is none. */
const isOfNoRun = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || isCutOffUpdate(error);
