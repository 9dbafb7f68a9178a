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
   * The longest wait for a session that does not exist yet, such as one that a workflow is about to start: milliseconds or text
   * such as `'30s'`, at most ten minutes. `timeoutMs` begins once the session exists. @default no wait
   */
  readonly waitForStart?: Duration;
}

/**
 * The Temporal server does not report a workflow's start, so the client polls. The pauses between its polls grow from this one to the
 * longest one.
 */
const FIRST_START_PAUSE_MS = 50;
const LONGEST_START_PAUSE_MS = 1_000;

/**
 * Waits until a session has the key, and then makes a call, both within the waits of the options. Throws `PaysessionError` `INVALID_INPUT`
 * for invalid options.
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
      // The call needs no worker: the Temporal server itself does not answer.
      if (isTimeout(error)) throw failed('TEMPORAL_UNAVAILABLE', error);
      const leftMs = endsAtMs - performance.now();
      if (!(error instanceof WorkflowNotFoundError) || leftMs <= 0) throw error;
      await sleep(Math.min(pauseMs, leftMs));
    }
  }
}

/** Options of {@link PaymentSessionHandle.changes}. */
export interface ChangesOptions {
  /** Ends the wait: then no more states follow. */
  readonly signal?: AbortSignal;
}

/** The longest wait of one call for a change. The next call joins the same update. */
const WAIT_MS = 60_000;
/** The time between two polls of a session that takes no update. */
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
 * True if a reset has set the session back, so that its revisions repeat. Temporal has applied the updates from before the reset again. It
 * answers a new update that has the id of one of these with the old answer, so new updates need other ids.
 */
const isBefore = (state: SessionState, known: SessionState): boolean =>
  state.phase !== 'ended' && (state.revision ?? 0) < (known.revision ?? 0);

/**
 * Returns the state after a change, or after a pause if the session takes no update; `undefined` if nothing changed for a while, or the
 * caller stopped waiting.
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
  // All callers that wait for this change share an update. So a session receives no more of these updates than it has changes.
  const part = afterReset === undefined ? revision : `${afterReset}/${revision}`;
  const options = { argument: revision, part, timeoutMs: WAIT_MS, leaving };
  try {
    return await calls.update<SessionState>(MESSAGES.awaitChange, options, ({ state }) => state);
  } catch (error) {
    // A call that was cut off also looks like a timeout, but fails early: pause before the next call.
    if (isTimeout(error) && performance.now() - askedAtMs < WAIT_MS / 2) await pause(leaving);
    if (leaving?.aborted || isTimeout(error)) return undefined;
    if (!(error instanceof WorkflowUpdateFailedError) && !isRefusedUpdate(error)) throw error;
  }
  // The session takes no more updates for now, or its worker's version does not have this one.
  await pause(leaving);
  return currentState(calls, leaving);
}

/** Returns the state, or `undefined` once the caller has stopped waiting. */
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

/** Options of {@link PaymentSessionHandle.cancelAndWait}. The session keeps the name and the reason in its `decisions`. */
export interface CancelOptions extends DecidedBy {
  /** The longest wait for the answer, in milliseconds. @default `updateTimeoutMs` of {@link PaymentSessionsOptions} */
  readonly timeoutMs?: number;
  /** Your own id for this cancel. @default a new one */
  readonly requestId?: string;
}

/**
 * Cancels the session and waits for the outcome. `argument` has the name and the reason, if any. Throws `PaysessionError`
 * `CANCEL_PENDING` if no answer comes or the Temporal server refuses the update: the cancel continues.
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
    // The update may be lost once its caller leaves. A signal is not.
    await calls.signalCancel(argument);
    throw failed('CANCEL_PENDING', error);
  }
}
