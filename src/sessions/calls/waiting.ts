/** Waits for a session's start, for its changes, and for the outcome of a cancel. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { type Duration, toMilliseconds } from '../../protocol/duration';
import type { DecidedBy } from '../../protocol/decisions';
import { MESSAGES } from '../../protocol/names';
import type { CancelReply, SessionState } from '../../protocol/state/session';
import { failed, isRefusedUpdate, isTimeout, isUntaken } from './temporal-errors';
import { untilLeft, waitOf, type Wait, type WaitOptions } from './deadlines';
import type { SessionCalls } from './session-calls';
import { CHANGES_OPTIONS, checkOptions, START_WAIT_OPTIONS } from './options';

/** Options of {@link PaymentSessionHandle.opened} and {@link PaymentSessionHandle.state}. */
export interface StartWaitOptions extends WaitOptions {
  /**
   * The longest wait for a session that does not exist yet, for instance because a workflow is about to start it. Milliseconds or a text
   * such as `'30s'`; at most ten minutes. `timeoutMs` counts from the time at which the session exists.
   * @default no wait
   */
  readonly waitForStart?: Duration;
}

/**
 * The first pause between two checks for a session's start. The Temporal server does not report a start, so the client checks repeatedly.
 * The pauses grow up to `LONGEST_START_PAUSE_MS`.
 */
const FIRST_START_PAUSE_MS = 50;
const LONGEST_START_PAUSE_MS = 1_000;

/**
 * Waits until a session has the key, for up to `waitForStart`. Then makes a call. Throws `PaysessionError` `INVALID_INPUT` for invalid
 * options.
 */
export async function onceStarted<T>(
  calls: SessionCalls,
  options: StartWaitOptions,
  defaultMs: number,
  call: (wait: Wait) => Promise<T>,
): Promise<T> {
  const wait = waitOf(options, START_WAIT_OPTIONS, defaultMs);
  const startWaitMs = toMilliseconds(options.waitForStart) ?? 0;
  return untilLeft(calls.client, wait.leaving, async () => {
    await awaitStart(calls, startWaitMs);
    return call(wait);
  });
}

/**
 * Returns once a session has the key, or at once if `waitMs` is 0. Throws `WorkflowNotFoundError` if no session has the key after
 * `waitMs` milliseconds.
 */
async function awaitStart(calls: SessionCalls, waitMs: number): Promise<void> {
  if (waitMs === 0) return;
  const endsAtMs = performance.now() + waitMs;
  for (let pauseMs = FIRST_START_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_START_PAUSE_MS)) {
    try {
      await calls.describe();
      return;
    } catch (error) {
      // The call needs no worker, so a timeout means that the Temporal server does not answer.
      if (isTimeout(error)) throw failed('TEMPORAL_UNAVAILABLE', error);
      const leftMs = endsAtMs - performance.now();
      if (!(error instanceof WorkflowNotFoundError) || leftMs <= 0) throw error;
      await sleep(Math.min(pauseMs, leftMs));
    }
  }
}

/** Options of {@link PaymentSessionHandle.changes}. */
export interface ChangesOptions {
  /** Abort this signal to stop. The iteration then ends without an error. */
  readonly signal?: AbortSignal;
}

/** The time limit of one call that waits for a change. If nothing changes, the next call joins the same update. */
const WAIT_MS = 60_000;
/** The time between two queries of a session that currently accepts no updates. */
const POLL_EVERY_MS = 5_000;

/**
 * Yields the session's current state, and the state after each change, until the session has ended. Throws `PaysessionError`
 * `INVALID_INPUT` for invalid options.
 */
export async function* changesOf(calls: SessionCalls, options: ChangesOptions): AsyncIterable<SessionState> {
  checkOptions(options, CHANGES_OPTIONS);
  const { signal } = options;
  let known = await currentState(calls, signal);
  if (known === undefined) return;
  yield known;
  let afterReset: string | undefined;
  while (known.phase !== 'ended' && !signal?.aborted) {
    let state: SessionState | undefined = await awaitNext(calls, known, { afterReset, leaving: signal });
    const isSetBack = state !== undefined && isBefore(state, known);
    if (isSetBack) {
      afterReset = randomUUID();
      state = await currentState(calls, signal);
    }
    if (state === undefined) continue;
    if (isSetBack || state.phase === 'ended' || state.revision !== known.revision) yield state;
    known = state;
  }
}

/**
 * True if a reset has set the session back, so that its revisions count from an earlier number. After a reset, Temporal applies earlier
 * updates again, and answers a new update with an old id by the old answer. So new updates need new ids.
 */
const isBefore = (state: SessionState, known: SessionState): boolean =>
  state.phase !== 'ended' && (state.revision ?? 0) < (known.revision ?? 0);

/**
 * Waits for a change, and returns the state after it. If the session currently accepts no updates, returns the state after a pause.
 * Returns `undefined` if nothing changed for a while, or if the caller stopped waiting.
 */
async function awaitNext(
  calls: SessionCalls,
  { revision = 0 }: SessionState,
  {
    afterReset,
    leaving,
  }: { readonly afterReset: string | undefined; readonly leaving: AbortSignal | undefined },
): Promise<SessionState | undefined> {
  const askedAtMs = performance.now();
  // All callers that wait for the same change share an update, so a session never receives more of these updates than
  // it has changes.
  const part = afterReset === undefined ? revision : `${afterReset}/${revision}`;
  const options = { argument: revision, part, timeoutMs: WAIT_MS, leaving };
  try {
    return await calls.update<SessionState>(MESSAGES.awaitChange, options, ({ state }) => state);
  } catch (error) {
    // If the connection breaks, the error also looks like a timeout, but comes early. Pause before the next call.
    if (isTimeout(error) && performance.now() - askedAtMs < WAIT_MS / 2) await pause(leaving);
    if (leaving?.aborted || isTimeout(error)) return undefined;
    if (!(error instanceof WorkflowUpdateFailedError) && !isRefusedUpdate(error)) throw error;
  }
  // The session currently accepts no more updates, or its worker has an older version without this update.
  await pause(leaving);
  return currentState(calls, leaving);
}

/** Returns the session's state, or `undefined` if the caller has stopped waiting. */
async function currentState(
  calls: SessionCalls,
  leaving: AbortSignal | undefined,
): Promise<SessionState | undefined> {
  if (leaving?.aborted) return undefined;
  try {
    return await calls.state(undefined, leaving);
  } catch (error) {
    if (leaving?.aborted) return undefined;
    throw error;
  }
}

const pause = (leaving: AbortSignal | undefined) =>
  sleep(POLL_EVERY_MS, undefined, leaving && { signal: leaving }).catch(() => undefined);

/** Options of {@link PaymentSessionHandle.cancelAndWait}. The session records the name and the reason in its `decisions`. */
export interface CancelOptions extends DecidedBy {
  /** The longest wait for the answer, in milliseconds. @default `updateTimeoutMs` of {@link PaymentSessionsOptions} */
  readonly timeoutMs?: number;
  /**
   * Your own id for this cancel: 1 to 200 characters. If you repeat the call with the same id, it usually returns the first answer.
   * @default a new id
   */
  readonly requestId?: string;
}

/**
 * Cancels the session and waits for the outcome. `argument` has the name and the reason, if there are any. If no answer comes, or if the
 * Temporal server refuses the update, makes sure that the cancel is stored, and throws `PaysessionError` `CANCEL_PENDING`.
 */
export async function cancelAndWait(
  calls: SessionCalls,
  cancel: {
    readonly argument: DecidedBy | undefined;
    readonly requestId?: string | undefined;
    readonly timeoutMs: number;
  },
): Promise<CancelReply> {
  const { argument, requestId, timeoutMs } = cancel;
  let wasTaken = false;
  const asked = {
    argument,
    part: requestId,
    timeoutMs,
    onSentAway: () => {
      wasTaken = true;
    },
  };
  try {
    return await calls.update<CancelReply>(MESSAGES.cancelAndWait, asked, ({ state }) => {
      const outcome = wasTaken ? state.cancel?.outcome : undefined;
      return { outcome: outcome ?? 'alreadyEnded', state };
    });
  } catch (error) {
    if (!isUntaken(error)) throw error;
    // The update may be lost now. A signal cannot be lost.
    await calls.signalCancel(argument);
    throw failed('CANCEL_PENDING', error);
  }
}
