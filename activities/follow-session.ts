import { CompleteAsyncError, Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { isChange } from '../src/contract';
import { ServiceError } from '../src/errors';
import { FOLLOW_AGAIN } from '../src/protocol/names';
import type { PacedService, PollOptions as PacedPollOptions } from '../src/service';
import { toApplicationFailure, withHeartbeats } from './activity-attempt';
import type { FollowSessionInput, PollResult, PollSessionInput } from '../src/protocol/activities';
import { intervalMs, jittered } from '../src/protocol/cadence';

/** Called for each change that a poll shows, with the time since the previous poll, in milliseconds. */
export type ChangeListener = (account: string, sincePollMs: number) => void;

/**
 * Makes a poll within the trace of its session. A session may be polled hundreds of times before anything happens, so
 * `isWorthASpan` is true only for a change or a failure.
 */
export type PollTracer = (
  poll: () => Promise<PollResult>,
  isWorthASpan: (result: PollResult) => boolean,
) => Promise<PollResult>;

/** Dependencies for holding a session. */
export interface Holding {
  /** Polls the session once, in the asynchronous context of the activity's execution, and so in its trace. */
  readonly poll: (options: PollOptions) => Promise<PollResult>;
  readonly input: FollowSessionInput;
  readonly schedule: PollSchedule;
  readonly taskToken: Uint8Array;
  /** Identifies the activity, across its attempts. */
  readonly activity: string;
  /** The server considers the worker lost after this time without a heartbeat, in milliseconds. */
  readonly heartbeatTimeoutMs: number;
  /** Receives each report before the workflow does. It does not reject. */
  readonly beforeReport?: ((result: PollResult) => Promise<void>) | undefined;
}

/** Holds sessions between polls. */
export interface Holder {
  /** True if one more session can be held. */
  readonly hasRoom: boolean;
  hold(holding: Holding): void;
}

/** Options for following a session. */
export interface FollowOptions {
  /** Holds sessions between polls. If absent, each poll is an attempt of its own. */
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

/** Options of one poll. */
export interface PollOptions extends Pick<
  PacedPollOptions,
  'hasPlace' | 'withinMs' | 'urgentAfterMs' | 'onTurn'
> {
  /** Aborts when the poll is not wanted any more. */
  readonly signal: AbortSignal;
}

/** One error for all attempts: the SDK reads the stack of a thrown error, and formatting the stack of a new error costs CPU. */
const COMPLETES_LATER = new CompleteAsyncError();

const HEARTBEAT_EVERY_MS = 10_000;

/**
 * Polls a session until there is something to report, such as a change, a failure or the end of its time. Holds the
 * session if that is allowed and there is room. Otherwise each attempt polls at most once, and the Temporal server waits
 * before the next attempt.
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

/** Returns the failure that ends an attempt without a report: after the wait, the server begins the next. It writes no history. */
export function again(waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FOLLOW_AGAIN,
    message: 'No change. The next attempt continues.',
    nextRetryDelay: Math.max(1, Math.round(waitMs)),
    // Not an error: neither logged nor counted as one.
    category: ApplicationFailureCategory.BENIGN,
  });
}

/**
 * Converts an attempt's error. Every error except a `CompleteAsyncError` and `FOLLOW_AGAIN` ends the activity. The workflow
 * then waits, so that people see the wait.
 */
export function toEndOfAttempt(error: unknown): unknown {
  if (error instanceof CompleteAsyncError) return error;
  if (error instanceof ApplicationFailure && error.type === FOLLOW_AGAIN) return error;
  return ApplicationFailure.fromError(toApplicationFailure(error), { nonRetryable: true });
}

/** A wait before a poll. A wait that ends when the time is up has no jitter. */
export interface Wait {
  readonly waitMs: number;
  readonly isExact: boolean;
}

/** The step after a poll: the activity's result, or the wait before the next poll. */
type Next = { readonly result: PollResult } | Wait;

/** The part of the activity's information that shows how long it has run, in all of its attempts. */
type AttemptInfo = Pick<Info, 'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'>;

interface ScheduleOptions {
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
  /** Returns 0 to 1, for the jitter. @default Math.random */
  readonly random?: () => number;
  /**
   * Receives, for each change, the time since the previous poll ended, in milliseconds. The change was noticed at most about
   * that late.
   */
  readonly onChange?: ((sincePollMs: number) => void) | undefined;
}

/** Decides, for one attempt of the activity, when to poll next, and when there is something to report. */
export class PollSchedule {
  readonly #elapsedMs: () => number;
  readonly #random: () => number;
  readonly #onChange: (sincePollMs: number) => void;
  /** The time at which the previous poll ended. */
  #polledAtMs: number;
  /** The time at which the poll under way got its turn. */
  #beganAtMs = 0;
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
    const { scheduledTimestampMs: beganAtMs, currentAttemptScheduledTimestampMs: scheduledAtMs } = info;
    const attemptedAt = performance.now();
    // The server's clock measured the time before this attempt. The machine's clock may differ from it.
    this.#elapsedMs =
      now === undefined
        ? () => Math.max(0, scheduledAtMs - beganAtMs) + performance.now() - attemptedAt
        : () => Math.max(0, now() - beganAtMs);
    // Assumes that the first attempt begins right after a poll, and a later one an interval after the previous poll.
    this.#polledAtMs = info.attempt > 1 ? Math.max(0, this.#elapsedMs() - this.#intervalMs()) : 0;
  }

  /** Returns the wait before the attempt's first poll. An attempt that takes over from another polls at once. */
  firstWait(): Wait {
    const isDue = this.#info.attempt > 1 || this.#input.atOnce === true;
    return isDue ? { waitMs: 0, isExact: true } : this.#wait();
  }

  /**
   * Returns options for the next poll's turn. `onTurn` records the time of the turn: the poll's answer is no older than that.
   * When the time is up, the poll decides if the session ends or is cancelled, so it goes before other polls.
   */
  nextTurn(): Pick<PollOptions, 'urgentAfterMs' | 'onTurn'> {
    return {
      urgentAfterMs: Math.max(0, this.#input.forMs - this.#elapsedMs()),
      onTurn: () => {
        this.#beganAtMs = this.#elapsedMs();
      },
    };
  }

  /** Returns the step after a poll. */
  after(polled: PollResult): Next {
    if (polled.outcome !== 'seen') return { result: polled };
    const { known, atOnce, forMs } = this.#input;
    const sincePollMs = this.#elapsedMs() - this.#polledAtMs;
    this.#polledAtMs = this.#elapsedMs();
    const result = { ...polled, lookedAfterMs: Math.floor(this.#beganAtMs) };
    if (isChange(known, result.snapshot)) {
      this.#onChange(sincePollMs);
      return { result: { ...result, sinceLookMs: Math.round(sincePollMs) } };
    }
    const isOver = atOnce === true || this.#beganAtMs >= forMs;
    return isOver ? { result } : this.#wait();
  }

  /** True if the interval between polls has become too long to hold the session. */
  outgrows(heldUpToMs: number): boolean {
    return this.#intervalMs() > heldUpToMs;
  }

  #intervalMs(): number {
    const { cadence, sinceChangeMs } = this.#input;
    return intervalMs(cadence, sinceChangeMs + this.#elapsedMs());
  }

  /** Returns the wait before the next poll. The last poll comes when the time is up, and not even a timer's tick earlier. */
  #wait(): Wait {
    const usualMs = jittered(this.#intervalMs(), this.#random());
    const leftMs = Math.max(0, Math.ceil(this.#input.forMs - this.#elapsedMs()) + 1);
    return usualMs < leftMs ? { waitMs: usualMs, isExact: false } : { waitMs: leftMs, isExact: true };
  }
}
