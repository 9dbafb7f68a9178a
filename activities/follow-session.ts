import { CompleteAsyncError, Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { isChange } from '../src/contract';
import { ServiceError } from '../src/errors';
import { FOLLOW_AGAIN } from '../src/protocol/names';
import type { PacedService, PollOptions as PacedPollOptions } from '../src/service';
import { toApplicationFailure, withHeartbeats } from './activity-attempt';
import type { FollowSessionInput, PollResult, PollSessionInput } from '../src/protocol/activities';
import { intervalMs, jittered } from '../src/protocol/cadence';

/** Called for each change that a poll shows. `sincePollMs` is the time since the session's previous poll, in milliseconds. */
export type ChangeListener = (account: string, sincePollMs: number) => void;

/**
 * Makes a poll, and records it in the session's trace. A session may be polled hundreds of times before anything happens, so only
 * polls for which `isWorthASpan` returns true get a span: those with a change or a failure.
 */
export type PollTracer = (
  poll: () => Promise<PollResult>,
  isWorthASpan: (result: PollResult) => boolean,
) => Promise<PollResult>;

/** The inputs for holding a session. */
export interface Holding {
  /**
   * Polls the session once. The call must have the asynchronous context of the activity's execution, so that it belongs to the
   * activity's trace.
   */
  readonly poll: (options: PollOptions) => Promise<PollResult>;
  readonly input: FollowSessionInput;
  readonly schedule: PollSchedule;
  readonly taskToken: Uint8Array;
  /** Identifies the activity. All its attempts have the same value. */
  readonly activity: string;
  /** The time without a heartbeat after which the Temporal server considers the worker lost, in milliseconds. */
  readonly heartbeatTimeoutMs: number;
  /** Receives each report before the workflow does. It does not reject. */
  readonly beforeReport?: ((result: PollResult) => Promise<void>) | undefined;
}

/** Holds sessions: keeps them in the worker's memory between two polls, without an activity slot. */
export interface Holder {
  /** True if one more session can be held. */
  readonly hasRoom: boolean;
  hold(holding: Holding): void;
}

/** Options of `followSession`. */
export interface FollowOptions {
  /** Holds sessions between polls. If absent, each poll is a separate attempt of the activity. */
  readonly held?: Holder | undefined;
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
  /** Called for each change. */
  readonly onChange?: ChangeListener | undefined;
  /** Traces each poll. @default no poll is traced */
  readonly tracePoll?: PollTracer | undefined;
  /** Receives each report before the workflow does. It does not reject. @default none */
  readonly beforeReport?: ((result: PollResult) => Promise<void>) | undefined;
}

/**
 * Options of one poll. The poll of a held session has `hasPlace`, because it waits without an activity slot. `withinMs` limits the
 * wait for the poll's turn.
 */
export interface PollOptions extends Pick<
  PacedPollOptions,
  'hasPlace' | 'withinMs' | 'urgentAfterMs' | 'onTurn'
> {
  /** Aborts when the poll is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * All attempts throw the same error object. The SDK reads the stack of a thrown error, and formatting the stack of a new error
 * costs CPU time.
 */
const COMPLETES_LATER = new CompleteAsyncError();

const HEARTBEAT_EVERY_MS = 10_000;

/**
 * Polls a session until there is something to report: a change, a failure, or the end of the given time.
 *
 * If holding is allowed and the holder has room, the holder keeps the session in memory and continues after this function has
 * returned. Otherwise, each attempt of the activity polls at most once, and the Temporal server waits before the next attempt.
 */
export async function followSession(
  service: PacedService,
  input: FollowSessionInput,
  { held, now, onChange, tracePoll = (poll) => poll(), beforeReport }: FollowOptions,
): Promise<PollResult> {
  const { info, cancellationSignal: signal } = Context.current();
  const { taskToken, heartbeatTimeoutMs, workflowExecution, activityId } = info;
  const schedule = new PollSchedule(input, info, {
    now,
    onChange: (sincePollMs) => onChange?.(input.account, sincePollMs),
  });
  const poll = (options: PollOptions) =>
    tracePoll(
      () => pollSession(service, input, { ...options, ...schedule.nextTurn() }),
      (result) =>
        result.outcome === 'seen' ? isChange(input.known, result.snapshot) : result.outcome === 'failed',
    );
  if (held?.hasRoom === true && input.heldUpToMs !== undefined && heartbeatTimeoutMs !== undefined) {
    const activity = JSON.stringify([workflowExecution?.runId, activityId]);
    held.hold({ poll, input, schedule, taskToken, activity, heartbeatTimeoutMs, beforeReport });
    throw COMPLETES_LATER;
  }
  const { waitMs } = schedule.firstWait();
  if (waitMs > 0) throw again(waitMs);
  const result = await withHeartbeats(HEARTBEAT_EVERY_MS, () => poll({ signal }));
  if (result.outcome === 'interrupted') throw again(0);
  const next = schedule.after(result);
  if (!('result' in next)) throw again(next.waitMs);
  await beforeReport?.(next.result);
  return next.result;
}

/** Polls the session's details once. */
export async function pollSession(
  service: PacedService,
  { sessionId, urgent = false, expected }: PollSessionInput,
  options: PollOptions,
): Promise<PollResult> {
  const { signal } = options;
  try {
    return {
      outcome: 'seen',
      snapshot: await service.sessionDetails(sessionId, { ...options, urgent, expected }),
    };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}

/**
 * Returns the failure that ends an attempt without a report. After `waitMs`, the Temporal server begins the next attempt. This
 * adds no event to the history.
 */
export function again(waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FOLLOW_AGAIN,
    message: 'No change. The next attempt continues.',
    nextRetryDelay: Math.max(1, Math.round(waitMs)),
    // Temporal does not log or count this failure as an error.
    category: ApplicationFailureCategory.BENIGN,
  });
}

/**
 * Converts the error of an attempt. A `CompleteAsyncError` and a failure of type `FOLLOW_AGAIN` are not errors, and are returned
 * unchanged. Any other error ends the activity. The workflow then waits and tries again, so that the session's state shows the
 * wait.
 */
export function toEndOfAttempt(error: unknown): unknown {
  if (error instanceof CompleteAsyncError) return error;
  if (error instanceof ApplicationFailure && error.type === FOLLOW_AGAIN) return error;
  return ApplicationFailure.fromError(toApplicationFailure(error), { nonRetryable: true });
}

/**
 * A wait before a poll. `isExact` is true if the poll is due exactly after the wait: the activity's time is over then, or the
 * wait is 0. Otherwise, the poll may come slightly earlier or later.
 */
export interface Wait {
  readonly waitMs: number;
  readonly isExact: boolean;
}

/** The step after a poll: the activity's result, or the wait before the next poll. */
type Next = { readonly result: PollResult } | Wait;

/** The part of an activity's information that shows how long all attempts together have run. */
type AttemptInfo = Pick<Info, 'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'>;

interface ScheduleOptions {
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
  /** Returns a random number from 0 to 1, which varies the waits. @default Math.random */
  readonly random?: () => number;
  /**
   * Called for each change with the time since the end of the previous poll, in milliseconds. This is about the maximum age of
   * the change.
   */
  readonly onChange?: ((sincePollMs: number) => void) | undefined;
}

/** The poll schedule of one attempt of the activity: decides when to poll next, and when there is something to report. */
export class PollSchedule {
  readonly #elapsedMs: () => number;
  readonly #random: () => number;
  readonly #onChange: (sincePollMs: number) => void;
  /** The time at which the previous poll ended, in milliseconds since the activity was scheduled. */
  #pollEndedAtMs: number;
  /** The time at which the current poll got its turn, in milliseconds since the activity was scheduled. */
  #pollBeganAtMs = 0;
  readonly #input: FollowSessionInput;
  readonly #info: AttemptInfo;

  constructor(
    input: FollowSessionInput,
    info: AttemptInfo,
    { now, random = Math.random, onChange = () => undefined }: ScheduleOptions = {},
  ) {
    this.#input = input;
    this.#info = info;
    this.#random = random;
    this.#onChange = onChange;
    const { scheduledTimestampMs: scheduledAtMs, currentAttemptScheduledTimestampMs: attemptAtMs } = info;
    const createdAt = performance.now();
    // The time before this attempt is the difference of two times of the server's clock, because this machine's clock
    // may differ.
    this.#elapsedMs =
      now === undefined
        ? () => Math.max(0, attemptAtMs - scheduledAtMs) + performance.now() - createdAt
        : () => Math.max(0, now() - scheduledAtMs);
    // This is an assumption: the first attempt begins right after a poll, and a later attempt begins one interval after
    // a poll.
    this.#pollEndedAtMs = info.attempt > 1 ? Math.max(0, this.#elapsedMs() - this.#intervalMs()) : 0;
  }

  /** Returns the wait before the attempt's first poll. With `atOnce`, and in a later attempt than the first, the poll is due now. */
  firstWait(): Wait {
    const isDue = this.#info.attempt > 1 || this.#input.atOnce === true;
    return isDue ? { waitMs: 0, isExact: true } : this.#wait();
  }

  /**
   * Returns options for the turn of the next poll. `onTurn` records the time of the turn, because the poll's answer is not older
   * than that. When the activity's time is over, the poll decides whether the session ends or is cancelled, so it goes before
   * other polls.
   */
  nextTurn(): Pick<PollOptions, 'urgentAfterMs' | 'onTurn'> {
    return {
      urgentAfterMs: Math.max(0, this.#input.forMs - this.#elapsedMs()),
      onTurn: () => {
        this.#pollBeganAtMs = this.#elapsedMs();
      },
    };
  }

  /** Returns the step after a poll. */
  after(polled: PollResult): Next {
    if (polled.outcome !== 'seen') return { result: polled };
    const { known, atOnce, forMs } = this.#input;
    const sincePollMs = this.#elapsedMs() - this.#pollEndedAtMs;
    this.#pollEndedAtMs = this.#elapsedMs();
    // In these field names, a look is a poll. The names are permanent, because histories contain them.
    const result = { ...polled, lookedAfterMs: Math.floor(this.#pollBeganAtMs) };
    if (isChange(known, result.snapshot)) {
      this.#onChange(sincePollMs);
      return { result: { ...result, sinceLookMs: Math.round(sincePollMs) } };
    }
    // With `atOnce`, the activity returns after one poll.
    const isOver = atOnce === true || this.#pollBeganAtMs >= forMs;
    return isOver ? { result } : this.#wait();
  }

  /** True if the interval between polls has become longer than `heldUpToMs`, so that the session should not be held any more. */
  outgrows(heldUpToMs: number): boolean {
    return this.#intervalMs() > heldUpToMs;
  }

  #intervalMs(): number {
    const { cadence, sinceChangeMs } = this.#input;
    return intervalMs(cadence, sinceChangeMs + this.#elapsedMs());
  }

  /**
   * Returns the wait before the next poll. The last poll must not begin before the activity's time is over, so a millisecond is
   * added.
   */
  #wait(): Wait {
    const usualMs = jittered(this.#intervalMs(), this.#random());
    const leftMs = Math.max(0, Math.ceil(this.#input.forMs - this.#elapsedMs()) + 1);
    return usualMs < leftMs ? { waitMs: usualMs, isExact: false } : { waitMs: leftMs, isExact: true };
  }
}
