/** Starting a session and waiting until it is opened. */
import { WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import { explain, PaysessionError, rowOf, withRemedy } from '../../errors';
import { MESSAGES, WORKFLOW_TYPE, sharedUpdateId } from '../../protocol/names';
import type { Trouble } from '../../protocol/state/recorded';
import type { OpenedSession, PaymentSessionWorkflow, SessionState } from '../../protocol/state/session';
import {
  failed,
  isCutOffUpdate,
  isEngineBusy,
  isLostUpdate,
  isTimeout,
  PROBE_MS,
  refusalCode,
} from '../calls/engine-errors';
import { retryingUntilAnswered } from '../calls/retry';
import type { SessionCalls } from '../calls/session-calls';
import type { Wait } from '../calls/wait-options';
import { SessionFailedError } from '../session-errors';
import type { PreparedStart } from './prepare-start';
import { foundBy, marked, markOf, type StartAnswer, startUnlessTaken } from './taken-key';
import { isGivenBack } from '../../protocol/activities';

/** A refusal for want of credentials takes longer; a sooner one was given to somebody who asked before. */
const FRESH_AFTER_MS = 1_000;

/** A session is parked a few times at most while callers wait for it. */
const MAX_PARKS = 20;

/** An opened session, and what the start found under its key, where that is known. */
interface Opening {
  readonly opened: OpenedSession;
  readonly started: StartAnswer | undefined;
}

/** Starts a session, or attaches to the one that has the key, and waits until it is opened. */
export async function startAndOpen(calls: SessionCalls, start: PreparedStart, wait: Wait): Promise<Opening> {
  const { leaving } = wait;
  const endsAtMs = performance.now() + wait.timeoutMs;
  const own = marked(start);
  const asked = await untilOpened(calls, wait.timeoutMs, (timeoutMs) =>
    openAtOnce(calls, own, { timeoutMs, leaving }),
  );
  const opened = asked.opened ?? (await openedBefore(calls, endsAtMs, leaving));
  return { opened, started: asked.started ?? (await foundBy(calls.client, own)) };
}

/** Lacks `opened` where the session is to be asked once more. */
async function openAtOnce(
  calls: SessionCalls,
  start: PreparedStart,
  { timeoutMs, leaving }: Wait,
): Promise<Partial<Opening>> {
  const askedAtMs = performance.now();
  const endsAtMs = askedAtMs + timeoutMs;
  try {
    const begun = await startUnlessTaken(calls.client, start, (options) =>
      calls.openWith(
        new WithStartWorkflowOperation<PaymentSessionWorkflow>(WORKFLOW_TYPE, options),
        sharedUpdateId(markOf(start)),
        { timeoutMs: leftUntil(endsAtMs), leaving },
      ),
    );
    return 'answer' in begun ? { opened: begun.answer } : { started: begun.found };
  } catch (error) {
    if (!isUnsettled(error) && !isOfBefore(error, askedAtMs)) throw error;
    return {};
  }
}

/** Whether an update that many share tells nothing of the session now: it was dropped, cut off, or settled before. */
function isUnsettled(error: unknown): boolean {
  const code = refusalCode(error);
  const isDropped = isLostUpdate(error) || isCutOffUpdate(error);
  return isDropped || code === 'CREATE_OUTCOME_UNKNOWN' || code === 'SESSION_CONTINUED';
}

/** Waits until a session is opened that was started before. */
export function awaitOpened(calls: SessionCalls, { timeoutMs, leaving }: Wait): Promise<OpenedSession> {
  return openedBefore(calls, performance.now() + timeoutMs, leaving);
}

/** Waits until a session is opened that was started before, at most until a time of this process's steady clock. */
async function openedBefore(
  calls: SessionCalls,
  endsAtMs: number,
  leaving: AbortSignal | undefined,
): Promise<OpenedSession> {
  for (let park = 0; ; park += 1) {
    // A query costs the session nothing: a page may ask again and again.
    const state = await calls.state(Math.min(leftUntil(endsAtMs), calls.timeouts.queryTimeoutMs));
    if (state.phase !== 'creating' || park === MAX_PARKS) return openedFrom(state);
    const { part, isNew } = partOf(state, park);
    const updateId = sharedUpdateId(part);
    const askedAtMs = performance.now();
    const ask = (timeoutMs: number) =>
      calls.update<OpenedSession>(MESSAGES.awaitOpened, { timeoutMs, updateId, leaving }, (ended) =>
        openedFrom(ended.state),
      );
    try {
      return await untilOpened(calls, leftUntil(endsAtMs), ask);
    } catch (error) {
      // It is parked, or was when others asked before: their update is settled for good.
      const isPark = refusalCode(error) === 'CREATE_OUTCOME_UNKNOWN';
      if (!isPark && (isNew || !isOfBefore(error, askedAtMs))) throw error;
    }
  }
}

/**
 * All who ask at this time wait together; those who come after a park need another update, and so do those who come after
 * others were told that no worker can open the session. `isNew`: nobody was answered by this update before.
 */
function partOf({ trouble }: SessionState, park: number) {
  if (trouble !== undefined && isGivenBack(trouble.code))
    return { part: `given-back-${trouble.failures}`, isNew: true };
  return { part: park === 0 ? undefined : park, isNew: false };
}

/** Whether an update that many share says that no worker could open the session at an earlier time. */
const isOfBefore = (error: unknown, askedAtMs: number): boolean =>
  isGivenBack(refusalCode(error)) && performance.now() - askedAtMs < FRESH_AFTER_MS;

/** Asks until it is opened. A call that took too long says whether there is a session that still opens. */
async function untilOpened<T>(
  calls: SessionCalls,
  timeoutMs: number,
  ask: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  try {
    return await retryingUntilAnswered(timeoutMs, ask);
  } catch (error) {
    if (!isTimeout(error) && !isEngineBusy(error) && refusalCode(error) !== 'SESSION_BUSY') throw error;
    const [started, state] = await Promise.all([
      isStarted(calls),
      calls.state(PROBE_MS).catch(() => undefined),
    ]);
    throw started ? stillOpening(state?.trouble, error) : failed('ENGINE_UNAVAILABLE', error);
  }
}

/** Says what the session waits for, where that is known. */
function stillOpening(trouble: Trouble | undefined, cause: unknown): PaysessionError {
  const code = 'SESSION_STILL_OPENING';
  if (trouble === undefined) return failed(code, cause);
  const happened = `The session has started but has not been created at the payment service yet: ${lastFailure(trouble)} It is still trying.`;
  return new PaysessionError(code, withRemedy(code, happened), { cause });
}

/** `the service answered 500 (SERVICE_FAILED), 3 create requests`, of the message of a failed call. */
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

/** What is left of a time that ends at one of this process's steady clock, in milliseconds. */
const leftUntil = (endsAtMs: number): number => Math.max(0, endsAtMs - performance.now());

function openedFrom({ key, phase, sessionId, checkoutUrl, failure }: SessionState): OpenedSession {
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  const code = phase === 'parked' ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  throw new SessionFailedError(key, failure ?? { code, message: explain(code) });
}
