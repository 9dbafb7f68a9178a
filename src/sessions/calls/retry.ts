import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError, WorkflowNotFoundError } from '@temporalio/client';
import { isShared } from '../../protocol/messages/shared-update';
import { isPaysessionError } from '../../errors';
import type { EndedSession } from '../ended-session';
import { failed, isCutOffUpdate, isEngineBusy, isLostUpdate, isTimeout, refusalCode } from './engine-errors';

const MAX_ATTEMPTS = 6;

/**
 * Makes a call again as long as `firstPauseMs` gives a pause for its error, six times in all; each pause is twice as long as
 * the one before. Throws the last error.
 */
async function retrying<T>(
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

/** An engine under load may lose an answer that somebody waits for; one who asks again gets it. */
const ASK_AGAIN_AFTER_MS = 20_000;

const BUSY_PAUSE_MS = 1_000;

/** Waits for an answer within a time, in milliseconds, and asks again from time to time; `ask` can be repeated safely. */
export async function retryingUntilAnswered<T>(
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

const QUERY_PAUSE_MS = 50;

/**
 * Asks again where a worker fails the query: it came with events that await a workflow task (`workflows/query-ahead-of-tasks.ts`).
 * The Temporal client takes each query that fails for one that is not registered.
 */
export const retryingQuery = <T>(ask: () => Promise<T>): Promise<T> =>
  retrying(ask, (error) => (error instanceof QueryNotRegisteredError ? QUERY_PAUSE_MS : undefined));

/** Longer than a healthy answer takes, and short beside the time that a caller gives a query. */
const AGAIN_AFTER_MS = 4_000;

/**
 * Asks once more beside the first time where that gets no answer, and takes the answer that comes first. A worker that freezes
 * or loses its network keeps the queries that the engine hands it, and nobody hands those to another worker. Only for calls
 * that change nothing.
 */
export async function hedged<T>(ask: () => Promise<T>, againAfterMs = AGAIN_AFTER_MS): Promise<T> {
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

const DROPPED_PAUSE_MS = 40;

/** A session with many callers is asked again more slowly. */
const SESSION_BUSY_PAUSE_MS = 1_000;

/**
 * Runs an update that may be repeated. The engine drops an update that reaches a workflow in the very moment in which
 * the workflow ends or another event overtakes it, and expects the caller to send it again: its own id makes that the
 * same update, should the first have been taken after all. A session that went on in a new run is asked anew, where the id is as good
 * as new; one that has too many callers is, too, by another id.
 */
export async function retryingUpdate<T>(
  id: string,
  update: (updateId: string) => Promise<T>,
  onSentAway: () => void = () => undefined,
): Promise<T> {
  let updateId = id;
  let attempts = 0;
  return retrying(
    (attempt) => {
      attempts = attempt;
      return update(updateId);
    },
    (error) => {
      if (isLostUpdate(error)) return DROPPED_PAUSE_MS;
      const pauseMs = pauseAfterRefusal(error);
      if (pauseMs === undefined) return undefined;
      onSentAway();
      if (refusalCode(error) === 'SESSION_BUSY' && !isShared(id)) updateId = `${id}/${attempts}`;
      return pauseMs;
    },
  );
}

function pauseAfterRefusal(error: unknown): number | undefined {
  switch (refusalCode(error)) {
    case 'SESSION_CONTINUED':
      return DROPPED_PAUSE_MS;
    case 'SESSION_BUSY':
      return SESSION_BUSY_PAUSE_MS * (0.5 + Math.random());
    default:
      return undefined;
  }
}

const NO_RUN_PAUSE_MS = 100;

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
  return retrying(sendOrRead, (error) =>
    isPaysessionError(error, 'ENGINE_REFUSED') && isOfNoRun(error.cause) ? NO_RUN_PAUSE_MS : undefined,
  );
}

/** Whether the run that a message was for is over, or there is none. */
const isOfNoRun = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || isCutOffUpdate(error);
