import type { ServiceFailure } from '../../errors';
import { steadyClock } from '../options';
import { Breaker, type FailedCall } from './breaker';
import { CallRate } from './learned-rate';

export interface PaceOptions {
  /** Returns the current time of a clock, in milliseconds. @default a monotonic clock */
  readonly now?: () => number;
  /** Returns a number from 0 to 1, to spread the calls that were turned away. @default Math.random */
  readonly random?: () => number;
  /** The maximum number of calls a second. @default only the service's own limit, which is learned */
  readonly callsPerSecond?: number | undefined;
  /** True if calls come closer gradually, at first and after an outage. Set it to false with a clock that skips. @default true */
  readonly isGradual?: boolean | undefined;
  /**
   * Called when a pause begins, or its cause or calls change, and with `undefined` when calls resume. Not called for a rate limit that
   * is met again within a minute.
   */
  readonly onChange?: (pause: Pause | undefined) => void;
}

/** A pause: its cause, the calls that it holds back, and the time that was left of it when it was reported. */
export interface Pause {
  readonly cause: ServiceFailure['code'];
  readonly calls: 'creates and polls' | 'creates' | 'polls';
  readonly forMs: number;
}

/**
 * The purpose of a call. A refresh is a poll that goes before other polls, for instance because a person waits for it. A reading of the
 * details that is not held back counts as a cancel.
 */
export type CallKind = 'cancel' | 'create' | 'refresh' | 'poll';

/** A call that has ended. `sentAtMs` is in milliseconds of the pace's clock. */
export interface CallEnd {
  readonly kind: CallKind;
  readonly sentAtMs: number;
}

/** The service counts as down after this many failures in a row. */
const FAILURES_TO_PAUSE = 5;
/** A rate limit that is met again within this time is not reported again, because an account at its limit meets the limit often. */
const SAME_LIMIT_MS = 60_000;
/** Calls that were turned away return at about `RETURN_PER_SECOND` or below it, but are spread over `LONGEST_SPREAD_MS` at most. */
const RETURN_PER_SECOND = 100;
const LONGEST_SPREAD_MS = 60_000;

/**
 * Decides when an account's calls may go: within the rate limit, and not while the service limits calls or fails. A limit of the service
 * (429) holds back all create requests and polls. Failures hold back only calls of their kind, unless the service cannot be reached.
 * Cancels may always go, but count for the rate. A refresh may go while failures hold back polls. Its answer lets the polls continue.
 */
export class Pace {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onChange: (pause: Pause | undefined) => void;
  readonly #rate: CallRate;
  readonly #creates: Breaker;
  readonly #polls: Breaker;
  readonly #limit = new Breaker({ failuresToPause: 1, isGradual: false });
  /** Until this time, a limit that is met again is not reported. */
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

  /** Calls a second; `Infinity` without a limit. */
  get callsPerSecond(): number {
    return this.#rate.perSecond;
  }

  /** Replaces the maximum number of calls a second. */
  limitTo(callsPerSecond: number): void {
    this.#rate.limitTo(callsPerSecond, this.#now());
  }

  /** Returns 0 if a call of this kind may go now, otherwise its shortest wait in milliseconds. */
  waitMs(kind: CallKind): number {
    if (kind === 'cancel') return 0;
    const nowMs = this.#now();
    const breakerMs = this.#holding(kind)?.waitMs(nowMs) ?? 0;
    return Math.max(this.#limit.waitMs(nowMs), breakerMs, this.#rate.waitMs(nowMs));
  }

  /** True from the first pause of calls of this kind until an answer ends the pause. */
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

  /** Records an answer of the service, even a refusal. */
  answered({ kind, sentAtMs }: CallEnd): void {
    const nowMs = this.#now();
    this.#rate.accepted(sentAtMs, nowMs);
    for (const breaker of [this.#creates, this.#polls])
      if (breaker === this.#learning(kind)) breaker.answered(sentAtMs);
      else breaker.reached(sentAtMs);
    // Cancels also go during the pause, so their answers do not end it.
    if (kind !== 'cancel' && this.#limit.answered(sentAtMs)) this.#quietUntilMs = nowMs + SAME_LIMIT_MS;
    this.#report(nowMs);
  }

  /** Records a call that failed without an answer that counts. */
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
   * Returns the time after which a call that is turned away may ask again, in milliseconds. The more such calls there are, the wider
   * they are spread.
   */
  turnAway(waitMs: number): number {
    this.#turnedAway += 1;
    const perSecond = Math.min(this.callsPerSecond, RETURN_PER_SECOND);
    const spreadMs = Math.min((this.#turnedAway / perSecond) * 1_000, LONGEST_SPREAD_MS);
    return Math.ceil(waitMs + this.#random() * spreadMs);
  }

  /** Returns the breaker that holds back calls of this kind. */
  #holding(kind: CallKind): Breaker | undefined {
    return kind === 'create' ? this.#creates : kind === 'poll' ? this.#polls : undefined;
  }

  /** Returns the breaker that learns from calls of this kind. */
  #learning(kind: CallKind): Breaker | undefined {
    return kind === 'refresh' ? this.#polls : this.#holding(kind);
  }

  /**
   * Records a limited call. A call that was under way when the limit was met may lengthen the pause, but shows nothing new about the rate.
   */
  #limited(call: FailedCall): void {
    const { untilMs } = this.#limit;
    const begins = this.#limit.failed(call);
    const pausedUntilMs = this.#limit.untilMs;
    if (begins) this.#rate.limited({ ...call, pauseMs: pausedUntilMs - call.nowMs });
    else if (pausedUntilMs > untilMs) this.#rate.pausedUntil(pausedUntilMs);
  }

  /** Reports a pause, each change of its cause or calls, and its end. */
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
