import type { ServiceFailure } from '../../errors';
import { Breaker, type FailedCall } from './breaker';
import { steadyClock } from '../options';
import { CallRate } from './call-rate';

export interface PaceOptions {
  /** Tells how much time passes, in milliseconds. @default a clock that nobody sets */
  readonly now?: () => number;
  /** Returns 0 to 1, to spread the calls that were turned away. @default Math.random */
  readonly random?: () => number;
  /** The most calls a second. @default only the service's own limit, which is learned */
  readonly callsPerSecond?: number | undefined;
  /** Called once when a pause begins, and once with `undefined` when calls resume. */
  readonly onChange?: (pause: Pause | undefined) => void;
}

/** Why calls are paused, which ones, and how long the first pause is. */
export interface Pause {
  readonly cause: ServiceFailure['code'];
  readonly calls: 'creates and polls' | 'creates' | 'polls';
  readonly forMs: number;
}

/** What a call is for. A refresh is a poll that somebody waits for. */
export type CallKind = 'cancel' | 'create' | 'refresh' | 'poll';

/** How a call ended; times are in milliseconds of the pace's clock. */
export interface CallEnd {
  readonly kind: CallKind;
  readonly sentAtMs: number;
}

const SHORTEST_LIMIT_PAUSE_MS = 100;
const FIRST_LIMIT_PAUSE_MS = 1_000;
const LONGEST_LIMIT_PAUSE_MS = 60_000;
/** A limit that is met again within this time is not reported again: an account at its limit meets it often. */
const SAME_LIMIT_MS = 60_000;
/** Calls that were turned away come back at this rate at most, spread over this time at most. */
const RETURN_PER_SECOND = 100;
const LONGEST_SPREAD_MS = 60_000;

/**
 * Decides when an account's calls may go: within the rate limit, and not while the service limits calls or fails. A limit
 * of the service (429) holds back all creates and polls. Failures hold back only calls of their kind, unless the service
 * cannot be reached. Cancels may always go, but count for the rate. A refresh may go while polls are paused, and ends the
 * pause if it succeeds.
 */
export class Pace {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onChange: (pause: Pause | undefined) => void;
  readonly #rate: CallRate;
  readonly #creates = new Breaker();
  readonly #polls = new Breaker();
  #limit = { isOn: false, untilMs: -Infinity, beganAtMs: -Infinity, inARow: 0, quietUntilMs: -Infinity };
  #isTold = false;
  #turnedAway = 0;

  constructor(options: PaceOptions = {}) {
    this.#now = options.now ?? steadyClock;
    this.#random = options.random ?? Math.random;
    this.#onChange = options.onChange ?? (() => undefined);
    this.#rate = new CallRate({ limit: options.callsPerSecond, nowMs: this.#now() });
  }

  /** Calls a second; `Infinity` without a limit. */
  get callsPerSecond(): number {
    return this.#rate.perSecond;
  }

  /** Sets the most calls a second anew. */
  limitTo(callsPerSecond: number): void {
    this.#rate.limitTo(callsPerSecond, this.#now());
  }

  /** 0 if a call of this kind may go now, otherwise how long it has to wait at least. */
  waitMs(kind: CallKind): number {
    if (kind === 'cancel') return 0;
    const nowMs = this.#now();
    const breaker = kind === 'create' ? this.#creates : kind === 'poll' ? this.#polls : undefined;
    const untilMs = Math.max(this.#limit.untilMs, breaker?.untilMs ?? -Infinity);
    return nowMs < untilMs ? untilMs - nowMs : this.#rate.waitMs(nowMs);
  }

  /** A call is sent. */
  sent(): void {
    this.#rate.spend(this.#now());
    this.#turnedAway = Math.max(0, this.#turnedAway - 1);
  }

  /** The service answered, even if with a refusal. */
  answered({ kind, sentAtMs }: CallEnd): void {
    const nowMs = this.#now();
    this.#rate.accepted(nowMs);
    for (const breaker of this.#breakersOf(kind)) breaker.answered(sentAtMs);
    for (const breaker of [this.#creates, this.#polls]) {
      if (breaker.cause === 'SERVICE_UNREACHABLE') breaker.answered(sentAtMs);
    }
    if (this.#limit.isOn && sentAtMs >= this.#limit.untilMs) {
      Object.assign(this.#limit, { isOn: false, inARow: 0, quietUntilMs: nowMs + SAME_LIMIT_MS });
    }
    this.#tell(nowMs);
  }

  /** A call failed without an answer that counts. Returns whether that began a pause. */
  failed({ kind, sentAtMs }: CallEnd, failure: FailedCall['failure']): boolean {
    const nowMs = this.#now();
    if (failure.code === 'SERVICE_RATE_LIMITED') {
      this.#limited(sentAtMs, failure.retryAfterMs);
      this.#tell(nowMs);
      return false;
    }
    const breakers =
      failure.code === 'SERVICE_UNREACHABLE' ? [this.#creates, this.#polls] : this.#breakersOf(kind);
    const tripped = breakers.filter((breaker) => breaker.failed({ failure, sentAtMs, nowMs }));
    this.#tell(nowMs);
    return tripped.length > 0;
  }

  /** When a call that is turned away may ask again: the more there are, the wider they are spread. */
  turnAway(waitMs: number): number {
    this.#turnedAway += 1;
    const perSecond = Math.min(this.callsPerSecond, RETURN_PER_SECOND);
    const spreadMs = Math.min((this.#turnedAway / perSecond) * 1_000, LONGEST_SPREAD_MS);
    return Math.ceil(waitMs + this.#random() * spreadMs);
  }

  #breakersOf(kind: CallKind): readonly Breaker[] {
    switch (kind) {
      case 'create':
        return [this.#creates];
      case 'poll':
      case 'refresh':
        return [this.#polls];
      case 'cancel':
        return [];
    }
  }

  /** Calls that were under way when the limit was met may lengthen the pause; they say nothing new about the rate. */
  #limited(sentAtMs: number, retryAfterMs: number | undefined): void {
    const nowMs = this.#now();
    const { untilMs, beganAtMs, inARow } = this.#limit;
    if (sentAtMs <= beganAtMs || nowMs < untilMs) {
      this.#limit.untilMs = Math.max(untilMs, nowMs + (retryAfterMs ?? 0));
      if (this.#limit.untilMs > untilMs) this.#rate.pausedUntil(this.#limit.untilMs);
      return;
    }
    const backoffMs = Math.min(FIRST_LIMIT_PAUSE_MS * 2 ** Math.min(inARow, 20), LONGEST_LIMIT_PAUSE_MS);
    const pauseMs = Math.max(retryAfterMs ?? backoffMs, SHORTEST_LIMIT_PAUSE_MS);
    this.#rate.limited({ sentAtMs, nowMs, pauseMs });
    Object.assign(this.#limit, {
      isOn: true,
      untilMs: nowMs + pauseMs,
      beganAtMs: nowMs,
      inARow: inARow + 1,
    });
  }

  /** Reports the first pause, and the end of the last. */
  #tell(nowMs: number): void {
    const pause = this.#pause(nowMs);
    if ((pause !== undefined) === this.#isTold) return;
    this.#isTold = pause !== undefined;
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
    const { isOn, quietUntilMs, untilMs } = this.#limit;
    if (!isOn || (nowMs < quietUntilMs && !this.#isTold)) return undefined;
    return {
      cause: 'SERVICE_RATE_LIMITED',
      calls: 'creates and polls',
      forMs: Math.max(0, untilMs - nowMs),
    };
  }
}
