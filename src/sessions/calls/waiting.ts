/** Waiting for what becomes of a session: for its changes, for the outcome of a cancel. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { DecidedBy } from '../../protocol/messages/decided-by';
import { changeUpdateId } from '../../protocol/messages/shared-update';
import { MESSAGES } from '../../protocol/names';
import type { CancelReply, SessionState } from '../../protocol/state/session';
import { failed, isRefusedUpdate, isTimeout, isUntaken } from './engine-errors';
import type { SessionCalls } from './session-calls';

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
