/** Waiting for what becomes of a session: until it is opened, for its changes, for the outcome of a cancel. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { explain } from '../../errors';
import { isGivenBack } from '../../protocol/activities/given-back';
import type { DecidedBy } from '../../protocol/messages/decided-by';
import { changeUpdateId, sharedUpdateId } from '../../protocol/messages/shared-update';
import { MESSAGES } from '../../protocol/names';
import type { CancelReply, OpenedSession, SessionState } from '../../protocol/state/session';
import { SessionFailedError } from '../session-errors';
import { failed, isEngineBusy, isRefusedUpdate, isTimeout, isUntaken, refusalCode } from './engine-errors';
import { retryingUntilAnswered } from './retry';
import type { SessionCalls } from './session-calls';

/** A refusal for want of credentials takes longer; a sooner one was given to somebody who asked before. */
const FRESH_AFTER_MS = 1_000;

/** A session is parked a few times at most while callers wait for it. */
const MAX_PARKS = 20;

/** Waits until a session is opened that was started before. */
export function awaitOpened(calls: SessionCalls): Promise<OpenedSession> {
  return openedBefore(calls, performance.now() + calls.timeouts.openTimeoutMs);
}

/** Waits until a session is opened that was started before, at most until a time of this process's steady clock. */
export async function openedBefore(calls: SessionCalls, endsAtMs: number): Promise<OpenedSession> {
  for (let park = 0; ; park += 1) {
    // A query costs the session nothing: a page may ask again and again.
    const state = await calls.state(Math.min(leftUntil(endsAtMs), calls.timeouts.queryTimeoutMs));
    if (state.phase !== 'creating' || park === MAX_PARKS) return openedFrom(state);
    const { part, isNew } = partOf(state, park);
    const updateId = sharedUpdateId(part);
    const askedAtMs = performance.now();
    const ask = (timeoutMs: number) =>
      calls.update<OpenedSession>(MESSAGES.awaitOpened, { timeoutMs, updateId }, (ended) =>
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
export const isOfBefore = (error: unknown, askedAtMs: number): boolean =>
  isGivenBack(refusalCode(error)) && performance.now() - askedAtMs < FRESH_AFTER_MS;

/** Asks until it is opened. A call that took too long says whether there is a session that still opens. */
export async function untilOpened<T>(
  calls: SessionCalls,
  timeoutMs: number,
  ask: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  try {
    return await retryingUntilAnswered(timeoutMs, ask);
  } catch (error) {
    if (!isTimeout(error) && !isEngineBusy(error) && refusalCode(error) !== 'SESSION_BUSY') throw error;
    throw failed((await isStarted(calls)) ? 'SESSION_STILL_OPENING' : 'ENGINE_UNAVAILABLE', error);
  }
}

async function isStarted(calls: SessionCalls): Promise<boolean> {
  try {
    await calls.describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isTimeout(error)) return false;
    throw error;
  }
}

/** What is left of a time that ends at one of this process's steady clock, in milliseconds. */
export const leftUntil = (endsAtMs: number): number => Math.max(0, endsAtMs - performance.now());

function openedFrom({ key, phase, sessionId, checkoutUrl, failure }: SessionState): OpenedSession {
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  const code = phase === 'parked' ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  throw new SessionFailedError(key, failure ?? { code, message: explain(code) });
}

/** Options of `changes`. */
export interface ChangesOptions {
  /** Ends the waiting: then there are no more states. */
  readonly signal?: AbortSignal;
}

/** How long one call waits; the next one joins the same update. */
const WAIT_MS = 60_000;
/** How often a session is looked at that takes no update. */
const LOOK_EVERY_MS = 5_000;

/** The session's state now, and after each change, until it has ended. */
export async function* changesOf(
  calls: SessionCalls,
  { signal }: ChangesOptions = {},
): AsyncIterable<SessionState> {
  if (signal?.aborted) return;
  let known = await calls.state();
  yield known;
  while (known.phase !== 'ended' && !signal?.aborted) {
    const state: SessionState | undefined = await awaitNext(calls, known, signal);
    if (state === undefined) continue;
    if (state.phase === 'ended' || state.revision !== known.revision) yield state;
    known = state;
  }
}

/** The state after a change; nothing where there was none for a while, or the caller waits no more. */
async function awaitNext(
  calls: SessionCalls,
  { revision = 0 }: SessionState,
  leaving: AbortSignal | undefined,
): Promise<SessionState | undefined> {
  const options = { argument: revision, updateId: changeUpdateId(revision), timeoutMs: WAIT_MS, leaving };
  try {
    return await calls.update<SessionState>(MESSAGES.awaitChange, options, ({ state }) => state);
  } catch (error) {
    if (leaving?.aborted || isTimeout(error)) return undefined;
    if (!(error instanceof WorkflowUpdateFailedError) && !isRefusedUpdate(error)) throw error;
  }
  // The run has taken all the updates that it may, or its worker is of a version without this one.
  await sleep(LOOK_EVERY_MS, undefined, leaving && { signal: leaving }).catch(() => undefined);
  return leaving?.aborted ? undefined : calls.state();
}

/** Options of `cancelAndWait`; who cancels and why is kept in the session's `decisions`. */
export interface CancelOptions extends DecidedBy {
  /** How long to wait for the answer, in milliseconds. @default `updateTimeoutMs` of `PaymentSessions` */
  readonly timeoutMs?: number;
  /** Your own id for this cancel. @default a new one */
  readonly requestId?: string;
}

/** Cancels, by `argument` where somebody is named, and waits for what became of it; throws `CANCEL_PENDING` for want of an answer: the cancel goes on. */
export async function cancelAndWait(
  calls: SessionCalls,
  { requestId, timeoutMs }: CancelOptions,
  argument: DecidedBy | undefined,
): Promise<CancelReply> {
  let isHeld = false;
  const options = {
    argument,
    updateId: requestId,
    timeoutMs,
    onSentAway: () => {
      isHeld = true;
    },
  };
  try {
    return await calls.update<CancelReply>(MESSAGES.cancelAndWait, options, ({ state }) => {
      const outcome = isHeld ? state.cancel?.outcome : undefined;
      return { outcome: outcome ?? 'alreadyEnded', state };
    });
  } catch (error) {
    if (!isUntaken(error)) throw error;
    // A signal is not lost with its caller.
    await calls.signalCancel(argument);
    throw failed('CANCEL_PENDING', error);
  }
}
