/** Opens a session: starts its workflow, and waits until the session is created at the payment service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import { explain, PaysessionError, rowOf, withRemedy } from '../../errors';
import { MESSAGES, WORKFLOW_TYPE, updateIdOf } from '../../protocol/names';
import type { Trouble } from '../../protocol/state/recorded';
import type { OpenedSession, PaymentSessionWorkflow, SessionState } from '../../protocol/state/session';
import { type Deadline, leftUntil } from '../calls/deadlines';
import {
  failed,
  isCutOffUpdate,
  isTemporalBusy,
  isLostUpdate,
  isTimeout,
  PROBE_MS,
  refusalCode,
} from '../calls/temporal-errors';
import type { SessionCalls } from '../calls/session-calls';
import { whileWorkerPolls } from '../calls/workers';
import { SessionFailedError } from '../session-errors';
import type { PreparedStart } from './prepare-start';
import { type StartAnswer, startUnlessTaken } from './taken-key';
import { isGivenBack } from '../../protocol/activities';

/** The result of the first round trip of `open`. */
interface Begun {
  readonly started: StartAnswer;
  /** Absent if the key already had a session, or if the caller must ask the session again. */
  readonly opened?: OpenedSession;
}

/**
 * Starts a session and waits until it is opened, in one round trip. If the key already has a session with the same request, attaches to
 * that session without waiting.
 *
 * Each start sends an update with an id of its own. If two callers sent the same id, the Temporal server would give both callers one
 * answer, even if their requests differ. With different ids, the second start finds the key taken and compares the two requests.
 */
export async function startAndOpen(
  calls: SessionCalls,
  start: PreparedStart,
  deadline: Deadline,
): Promise<Begun> {
  const { client, workflowId } = calls;
  const { leaving } = deadline;
  const { taskQueue } = start.options;
  const updateId = updateIdOf(MESSAGES.awaitOpened, start.mark);
  return untilOpened(calls, deadline, async (timeoutMs) => {
    const askedAtMs = performance.now();
    try {
      const begun = await startUnlessTaken(
        client,
        start,
        (options) =>
          whileWorkerPolls(client, { workflowId, taskQueue, timeoutMs, leaving }, () =>
            client.workflow.executeUpdateWithStart<PaymentSessionWorkflow, OpenedSession, []>(
              MESSAGES.awaitOpened,
              { startWorkflowOperation: new WithStartWorkflowOperation(WORKFLOW_TYPE, options), updateId },
            ),
          ),
        deadline,
      );
      return 'found' in begun
        ? { started: begun.found }
        : { started: { attached: false }, opened: begun.answer };
    } catch (error) {
      // The update's id is unique to this start, so the error comes from the session that this start has created.
      if (isUnsettled(error) || isEarlierAnswer(error, askedAtMs)) return { started: { attached: false } };
      throw error;
    }
  });
}

/** Waits until a session that has already started is opened. */
export async function awaitOpened(calls: SessionCalls, deadline: Deadline): Promise<OpenedSession> {
  const { leaving } = deadline;
  for (let park = 0; ; park += 1) {
    // A query adds no event to the session's history, so a page may ask repeatedly.
    const state = await calls.state(Math.min(leftUntil(deadline), calls.timeouts.queryTimeoutMs), leaving);
    if (state.phase !== 'creating' || park === MAX_PARKS) return openedFrom(state);
    const { part, isNew } = partOf(state, park);
    const askedAtMs = performance.now();
    try {
      return await untilOpened(calls, deadline, (timeoutMs) =>
        calls.update<OpenedSession>(MESSAGES.awaitOpened, { timeoutMs, part, leaving }, (ended) =>
          openedFrom(ended.state),
        ),
      );
    } catch (error) {
      // Either the session is parked now, or the update has repeated its answer to an earlier caller. The loop reads
      // the state to find out.
      const isPark = refusalCode(error) === 'CREATE_OUTCOME_UNKNOWN';
      if (!isPark && (isNew || !isEarlierAnswer(error, askedAtMs))) throw error;
    }
  }
}

/** The maximum number of parks of one session that a waiting caller outlasts. */
const MAX_PARKS = 20;

/** A Temporal server under load may lose an answer. A caller that repeats the call receives the answer. */
const ASK_AGAIN_AFTER_MS = 20_000;

const BUSY_PAUSE_MS = 1_000;

/**
 * Calls `ask` until it returns or the time is over; `ask` must be safe to repeat. Repeats a call that gets no answer within
 * `askAgainAfterMs` milliseconds, or that a busy Temporal server refuses or drops. If no call gets an answer, throws an error that says
 * whether the session has started and is still opening.
 */
export async function untilOpened<T>(
  calls: SessionCalls,
  { endsAtMs }: Pick<Deadline, 'endsAtMs'>,
  ask: (timeoutMs: number) => Promise<T>,
  askAgainAfterMs = ASK_AGAIN_AFTER_MS,
): Promise<T> {
  for (;;) {
    const askedAtMs = performance.now();
    const askMs = Math.min(askAgainAfterMs, leftUntil({ endsAtMs }));
    try {
      return await ask(askMs);
    } catch (error) {
      const endedAtMs = performance.now();
      // If the connection breaks, the error also looks like a timeout, but comes early.
      const isUnanswered = isTimeout(error) && endedAtMs - askedAtMs >= askMs / 2;
      const isBusy = isTemporalBusy(error) || isLostUpdate(error);
      if ((!isUnanswered && !isBusy) || endedAtMs >= endsAtMs) throw await whyNotOpened(calls, error);
      if (isBusy) await sleep(Math.min(BUSY_PAUSE_MS, endsAtMs - endedAtMs));
    }
  }
}

async function whyNotOpened(calls: SessionCalls, error: unknown): Promise<unknown> {
  if (!isTimeout(error) && !isTemporalBusy(error) && refusalCode(error) !== 'SESSION_BUSY') return error;
  const [started, state] = await Promise.all([
    isStarted(calls),
    calls.state(PROBE_MS).catch(() => undefined),
  ]);
  return started ? stillOpening(state?.trouble, error) : failed('TEMPORAL_UNAVAILABLE', error);
}

/** True if the caller must ask the session again: the update was dropped or cut off, or the session may have changed since the answer. */
function isUnsettled(error: unknown): boolean {
  const code = refusalCode(error);
  const isDropped = isLostUpdate(error) || isCutOffUpdate(error);
  return isDropped || code === 'CREATE_OUTCOME_UNKNOWN' || code === 'SESSION_CONTINUED';
}

/**
 * Returns the variable part of the update's id. All callers that ask at this time share the update. After a park, or after the answer that
 * no worker can open the session, later callers need another update: the old update would repeat its old answer. `isNew` is true if the
 * update has not answered any caller yet.
 */
function partOf({ trouble }: SessionState, park: number) {
  if (trouble !== undefined && isGivenBack(trouble.code))
    return { part: `given-back-${trouble.failures}`, isNew: true };
  return { part: park, isNew: false };
}

/**
 * A session reports only after a longer time than this that no worker can open it. An answer that comes sooner was made for an earlier
 * caller.
 */
const FRESH_AFTER_MS = 1_000;

/** True if an update says that no worker can open the session, and the answer came too soon to be made for this caller. */
const isEarlierAnswer = (error: unknown, askedAtMs: number): boolean =>
  isGivenBack(refusalCode(error)) && performance.now() - askedAtMs < FRESH_AFTER_MS;

/** Returns the error `SESSION_STILL_OPENING`, with the reason why the session waits if the reason is known. */
function stillOpening(trouble: Trouble | undefined, cause: unknown): PaysessionError {
  const code = 'SESSION_STILL_OPENING';
  if (trouble === undefined) return failed(code, cause);
  const happened = `The session has started but has not been created at the payment service yet: ${lastFailure(trouble)} It is still trying.`;
  return new PaysessionError(code, withRemedy(code, happened), { cause });
}

/** Returns a short text of a trouble's last failure, such as `the service answered 500 (SERVICE_FAILED), 3 create requests.` */
export function lastFailure({
  code,
  message,
  failures,
}: Pick<Trouble, 'code' | 'message' | 'failures'>): string {
  const { meaning = '' } = rowOf(code) ?? {};
  const [event = ''] = /(?<= failed: ).*?(?=\. |\.?$)/.exec(message.replace(explain(code), '')) ?? [];
  const happened = event === '' ? meaning.replace(/\.$/, '') : event;
  const isSent = /^(the service answered|no answer came)/.test(event);
  return `${happened} (${code}), ${failures} ${isSent ? 'create request' : 'attempt'}${failures === 1 ? '' : 's'}.`;
}

async function isStarted(calls: SessionCalls): Promise<boolean> {
  try {
    await calls.describe(PROBE_MS);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isTimeout(error)) return false;
    throw error;
  }
}

function openedFrom({ key, phase, sessionId, checkoutUrl, failure }: SessionState): OpenedSession {
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  const code = phase === 'parked' ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  throw new SessionFailedError(key, failure ?? { code, message: explain(code) });
}
