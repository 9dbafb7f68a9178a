import type { ServiceFailure } from '../../errors';
import { steadyClock } from '../options';
import { Breaker, type FailedCall } from './breaker';
import { CallRate } from './learned-rate';

export interface PaceOptions {
  /** Returns the current time of a clock, in milliseconds. @default a monotonic clock */
  readonly now?: () => number;
  /** Returns a random number from 0 to 1, which spreads the return of calls that were turned away. @default Math.random */
  readonly random?: () => number;
  /** The maximum number of calls per second. @default only the service's own limit, which is learned */
  readonly callsPerSecond?: number | undefined;
  /**
   * True if the rate of calls increases gradually, at the start and after an outage. Set it to false for a clock that skips.
   * @default true
   */
  readonly isGradual?: boolean | undefined;
  /**
   * Called when a pause begins, and when its cause or the paused calls change. Called with `undefined` when calls resume. Not called if a
   * rate limit is reached again within a minute.
   */
  readonly onChange?: (pause: Pause | undefined) => void;
}

/** A pause: its cause, the paused calls, and its remaining time in milliseconds. */
export interface Pause {
  readonly cause: ServiceFailure['code'];
  readonly calls: 'creates and polls' | 'creates' | 'polls';
  readonly forMs: number;
}

/**
 * The kind of a call, which decides its priority. A `refresh` is a poll that goes before other polls, for instance because a person waits
 * for it. `cancel` also includes readings of the details that must not wait.
 */
export type CallKind = 'cancel' | 'create' | 'refresh' | 'poll';

/** A call that has ended. `sentAtMs` is the time at which it was sent, in milliseconds of the clock. */
export interface CallEnd {
  readonly kind: CallKind;
  readonly sentAtMs: number;
}

/** After this many failures in a row, calls are paused. */
const FAILURES_TO_PAUSE = 5;
/** If a rate limit is reached again within this time, it is not reported again. An account at its limit reaches the limit often. */
const SAME_LIMIT_MS = 60_000;
/**
 * Calls that were turned away return later, at random times, at a rate of at most about `RETURN_PER_SECOND`. They are spread over at most
 * `LONGEST_SPREAD_MS`.
 */
const RETURN_PER_SECOND = 100;
const LONGEST_SPREAD_MS = 60_000;

/**
 * Decides when an account's calls may be sent:
 * - All calls together stay within the rate limit.
 * - If the service refuses a call because of its own rate limit (429), all create requests and polls are paused.
 * - If the service fails, only calls of the failed kind are paused, create requests or polls. If the service cannot be reached, both kinds
 *   are paused.
 * - A refresh may be sent while failures pause the polls. If it is answered, the polls continue.
 * - Cancels may always be sent, but count for the rate.
 */
export class Pace {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onChange: (pause: Pause | undefined) => void;
  readonly #rate: CallRate;
  readonly #creates: Breaker;
  readonly #polls: Breaker;
  readonly #limit = new Breaker({ failuresToPause: 1, isGradual: false });
  /** Until this time, a rate limit that is reached again is not reported. */
  #quietUntilMs = -Infinity;
  #reported: Pause | undefined;
  #turnedAway = 0;

  constructor(options: PaceOptions = {}) {
    const { now = steadyClock, random = Math.random, onChange = () => undefined, isGradual = true } = options;
    this.#now = now;
    this.#random = random;
    this.#onChange = onChange;
    this.#rate = new CallRate(options.callsPerSecond, now());
    this.#creates = new Breaker({ failuresToPause: FAILURES_TO_PAUSE, isGradual });
    this.#polls = new Breaker({ failuresToPause: FAILURES_TO_PAUSE, isGradual });
  }

  /** The current maximum number of calls per second. `Infinity` without a limit. */
  get callsPerSecond(): number {
    return this.#rate.perSecond;
  }

  /** Replaces the configured maximum number of calls per second. */
  limitTo(callsPerSecond: number): void {
    this.#rate.limitTo(callsPerSecond, this.#now());
  }

  /** Returns 0 if a call of this kind may be sent now, otherwise its shortest wait in milliseconds. */
  waitMs(kind: CallKind): number {
    if (kind === 'cancel') return 0;
    const nowMs = this.#now();
    const breakerMs = this.#holding(kind)?.waitMs(nowMs) ?? 0;
    return Math.max(this.#limit.waitMs(nowMs), breakerMs, this.#rate.waitMs(nowMs));
  }

  /** True if calls of this kind are paused, until an answer ends the pause. */
  isPaused(kind: CallKind): boolean {
    return kind !== 'cancel' && (this.#limit.cause ?? this.#holding(kind)?.cause) !== undefined;
  }

  /** Records that a call is sent. */
  sent(kind: CallKind): void {
    const nowMs = this.#now();
    this.#rate.spend(nowMs);
    this.#holding(kind)?.sent(nowMs);
    this.#turnedAway = Math.max(0, this.#turnedAway - 1);
  }

  /** Records an answer of the service, which may be a refusal. */
  answered({ kind, sentAtMs }: CallEnd): void {
    const nowMs = this.#now();
    this.#rate.accepted(sentAtMs, nowMs);
    for (const breaker of [this.#creates, this.#polls])
      if (breaker === this.#learning(kind)) breaker.answered(sentAtMs);
      else breaker.reached(sentAtMs);
    // Cancels are also sent during a pause, so their answers do not end it.
    if (kind !== 'cancel' && this.#limit.answered(sentAtMs)) this.#quietUntilMs = nowMs + SAME_LIMIT_MS;
    this.#report(nowMs);
  }

  /** Records a call that failed in a way that may pause other calls. */
  failed({ kind, sentAtMs }: CallEnd, failure: FailedCall['failure']): void {
    const nowMs = this.#now();
    const call = { failure, sentAtMs, nowMs };
    if (failure.code === 'SERVICE_RATE_LIMITED') this.#limited(call);
    else {
      const isForAll = failure.code === 'SERVICE_UNREACHABLE';
      for (const breaker of [this.#creates, this.#polls])
        if (isForAll || breaker === this.#learning(kind)) breaker.failed(call);
    }
    this.#report(nowMs);
  }

  /**
   * Turns a call away. Returns the time after which it may ask again, in milliseconds. The more calls are turned away, the longer the time
   * over which they return.
   */
  turnAway(waitMs: number): number {
    this.#turnedAway += 1;
    const perSecond = Math.min(this.callsPerSecond, RETURN_PER_SECOND);
    const spreadMs = Math.min((this.#turnedAway / perSecond) * 1_000, LONGEST_SPREAD_MS);
    return Math.ceil(waitMs + this.#random() * spreadMs);
  }

  /** Returns the breaker that pauses calls of this kind. */
  #holding(kind: CallKind): Breaker | undefined {
    return kind === 'create' ? this.#creates : kind === 'poll' ? this.#polls : undefined;
  }

  /** Returns the breaker to which answers and failures of this kind are reported. */
  #learning(kind: CallKind): Breaker | undefined {
    return kind === 'refresh' ? this.#polls : this.#holding(kind);
  }

  /**
   * Records a call that the service refused because of its rate limit. If the call was already sent before the current pause, it may
   * lengthen the pause, but does not change the learned rate.
   */
  #limited(call: FailedCall): void {
    const { untilMs } = this.#limit;
    const begins = this.#limit.failed(call);
    const pausedUntilMs = this.#limit.untilMs;
    if (begins) this.#rate.limited({ ...call, pauseMs: pausedUntilMs - call.nowMs });
    else if (pausedUntilMs > untilMs) this.#rate.pausedUntil(pausedUntilMs);
  }

  /** Reports the beginning of a pause, each change of its cause or of the paused calls, and its end. */
  #report(nowMs: number): void {
    const pause = this.#pause(nowMs);
    if (pause?.cause === this.#reported?.cause && pause?.calls === this.#reported?.calls) return;
    this.#reported = pause;
    this.#onChange(pause);
  }

  #pause(nowMs: number): Pause | undefined {
    const creates = this.#creates.cause;
    const polls = this.#polls.cause;
    const failing = creates ?? polls;
    if (failing !== undefined) {
      const calls = creates === undefined ? 'polls' : polls === undefined ? 'creates' : 'creates and polls';
      const untilMs = Math.max(this.#creates.untilMs, this.#polls.untilMs);
      return { cause: failing, calls, forMs: Math.max(0, untilMs - nowMs) };
    }
    const { cause, untilMs } = this.#limit;
    if (cause === undefined || (nowMs < this.#quietUntilMs && this.#reported === undefined)) return undefined;
    return { cause, calls: 'creates and polls', forMs: Math.max(0, untilMs - nowMs) };
  }
}
