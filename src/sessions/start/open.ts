/** Opens a session: starts it, and waits until it is created at the payment service. */
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
  /** Absent if the key had a session already, or if the session must be asked again. */
  readonly opened?: OpenedSession;
}

/**
 * Starts a session and waits until it is opened, in one round trip. If a session with the same request has the key, attaches to it
 * without waiting. The Temporal server joins updates with the same id, even those of callers with another request for the key. So each
 * start has an update id of its own. Other starts then find the key taken and compare their requests.
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
      // Only this start's own session can have answered its update.
      if (isUnsettled(error) || isEarlierAnswer(error, askedAtMs)) return { started: { attached: false } };
      throw error;
    }
  });
}

/** Waits until a session that has already started is opened. */
export async function awaitOpened(calls: SessionCalls, deadline: Deadline): Promise<OpenedSession> {
  const { leaving } = deadline;
  for (let park = 0; ; park += 1) {
    // A query costs the session nothing, so that a page may ask repeatedly.
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
      // The session is parked, or it was parked when earlier callers asked: their update keeps its answer. The state shows which.
      const isPark = refusalCode(error) === 'CREATE_OUTCOME_UNKNOWN';
      if (!isPark && (isNew || !isEarlierAnswer(error, askedAtMs))) throw error;
    }
  }
}

/** A session is rarely parked more often than this while callers wait for it. */
const MAX_PARKS = 20;

/** A Temporal server under load may lose an answer; a caller that asks again gets it. */
const ASK_AGAIN_AFTER_MS = 20_000;

const BUSY_PAUSE_MS = 1_000;

/**
 * Calls `ask`, which is safe to repeat, until it returns or the time is over. Repeats a call that gets no answer within `askAgainAfterMs`
 * milliseconds, that the Temporal server is too busy for, or that it drops. The error for a call without an answer says whether the session
 * has started and is still opening.
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
      // A call that was cut off also looks like a timeout, but comes early.
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

/**
 * True if the session must be asked again: the update was dropped or cut off, or its answer may be older than the session's state.
 */
function isUnsettled(error: unknown): boolean {
  const code = refusalCode(error);
  const isDropped = isLostUpdate(error) || isCutOffUpdate(error);
  return isDropped || code === 'CREATE_OUTCOME_UNKNOWN' || code === 'SESSION_CONTINUED';
}

/**
 * Returns the part of the update's id, which all callers that ask at this time share. Callers that come after a park, or after an answer
 * that no worker can open the session, need another update. `isNew`: the update has not answered any caller before.
 */
function partOf({ trouble }: SessionState, park: number) {
  if (trouble !== undefined && isGivenBack(trouble.code))
    return { part: `given-back-${trouble.failures}`, isNew: true };
  return { part: park, isNew: false };
}

/**
 * A refusal because no worker has the credentials takes longer than this. A refusal that comes sooner was the answer to an earlier caller.
 */
const FRESH_AFTER_MS = 1_000;

/** True if an update says that no worker could open the session, and came too soon to be the answer to this caller. */
const isEarlierAnswer = (error: unknown, askedAtMs: number): boolean =>
  isGivenBack(refusalCode(error)) && performance.now() - askedAtMs < FRESH_AFTER_MS;

/** Returns the error with the reason why the session waits, if it is known. */
function stillOpening(trouble: Trouble | undefined, cause: unknown): PaysessionError {
  const code = 'SESSION_STILL_OPENING';
  if (trouble === undefined) return failed(code, cause);
  const happened = `The session has started but has not been created at the payment service yet: ${lastFailure(trouble)} It is still trying.`;
  return new PaysessionError(code, withRemedy(code, happened), { cause });
}

/** Returns a trouble's last failure in short: `the service answered 500 (SERVICE_FAILED), 3 create requests.` */
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
