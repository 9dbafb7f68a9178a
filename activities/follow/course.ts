import type { Info } from '@temporalio/activity';
import { isNews } from '../../src/contract';
import type { FollowSessionInput, PollResult } from '../../src/protocol/activities/activities';
import { intervalMs, jittered } from '../../src/protocol/input/cadence';
import type { PollOptions } from './poll-session';

/** A wait before a poll. One that ends when the time is up is exact. */
export interface Wait {
  readonly waitMs: number;
  readonly isExact: boolean;
}

/** What follows from a poll: the activity's result, or the wait before the next poll. */
export type Next = { readonly result: PollResult } | Wait;

/** The part of the activity's information that tells how long it has run, in all of its attempts. */
export type AttemptInfo = Pick<
  Info,
  'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'
>;

export interface CourseOptions {
  /** Milliseconds since the epoch, where the clock is not the machine's. */
  readonly now?: (() => number) | undefined;
  /** Returns 0 to 1, for the jitter. @default Math.random */
  readonly random?: () => number;
  /** Hears of each change of state how long ago, in milliseconds, the look before ended: so late it is seen at most. */
  readonly onNews?: ((sinceLookMs: number) => void) | undefined;
}

/** The course of one attempt to follow a session: when to poll next, and when there is something to report. */
export class Course {
  readonly #elapsedMs: () => number;
  readonly #random: () => number;
  readonly #onNews: (sinceLookMs: number) => void;
  /** When the look before ended. */
  #lookedAtMs: number;
  /** When the look that is under way began. */
  #beganAtMs = 0;
  readonly #input: FollowSessionInput;
  readonly #info: AttemptInfo;

  constructor(
    input: FollowSessionInput,
    info: AttemptInfo,
    { now, random = Math.random, onNews = () => undefined }: CourseOptions = {},
  ) {
    this.#input = input;
    this.#info = info;
    this.#random = random;
    this.#onNews = onNews;
    const { scheduledTimestampMs: beganAtMs, currentAttemptScheduledTimestampMs: scheduledAtMs } = info;
    const attemptedAt = performance.now();
    // The server's clock tells what went before this attempt: the machine's may differ from it.
    this.#elapsedMs =
      now === undefined
        ? () => Math.max(0, scheduledAtMs - beganAtMs) + performance.now() - attemptedAt
        : () => Math.max(0, now() - beganAtMs);
    // The activity follows on a look. An attempt follows on the one before, which chose the wait between them.
    this.#lookedAtMs = info.attempt > 1 ? Math.max(0, this.#elapsedMs() - this.#intervalMs()) : 0;
  }

  /** The wait before the attempt's first poll. One that takes over from another polls at once. */
  firstWait(): Wait {
    const isDue = this.#info.attempt > 1 || this.#input.atOnce === true;
    return isDue ? { waitMs: 0, isExact: true } : this.#wait();
  }

  /**
   * How the next poll waits for its turn. It says nothing of what happens before that. Once the time is up, the session ends or is
   * cancelled by what this poll tells, so it goes before others.
   */
  nextTurn(): Pick<PollOptions, 'urgentAfterMs' | 'onTurn'> {
    return {
      urgentAfterMs: Math.max(0, this.#input.forMs - this.#elapsedMs()),
      onTurn: () => {
        this.#beganAtMs = this.#elapsedMs();
      },
    };
  }

  /** What follows from a poll. */
  after(polled: PollResult): Next {
    if (polled.outcome !== 'seen') return { result: polled };
    const { known, atOnce, forMs } = this.#input;
    const sinceLookMs = this.#elapsedMs() - this.#lookedAtMs;
    this.#lookedAtMs = this.#elapsedMs();
    const result = { ...polled, lookedAfterMs: Math.floor(this.#beganAtMs) };
    if (isNews(known, result.snapshot)) {
      this.#onNews(sinceLookMs);
      return { result: { ...result, sinceLookMs: Math.round(sinceLookMs) } };
    }
    const isOver = atOnce === true || this.#beganAtMs >= forMs;
    return isOver ? { result } : this.#wait();
  }

  /** Whether the polls are by now too far apart to keep the session in hand between them. */
  outgrows(heldUpToMs: number): boolean {
    return this.#intervalMs() > heldUpToMs;
  }

  #intervalMs(): number {
    const { cadence, sinceChangeMs } = this.#input;
    return intervalMs(cadence, sinceChangeMs + this.#elapsedMs());
  }

  /** The last poll is made when the time is up, and not a tick of a timer before. */
  #wait(): Wait {
    const usualMs = jittered(this.#intervalMs(), this.#random());
    const leftMs = Math.max(0, Math.ceil(this.#input.forMs - this.#elapsedMs()) + 1);
    return usualMs < leftMs ? { waitMs: usualMs, isExact: false } : { waitMs: leftMs, isExact: true };
  }
}
