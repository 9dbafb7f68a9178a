import type { ServiceFailure } from '../../errors';

const SHORTEST_PAUSE_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The time between two calls at first, when it is not known how many the service takes, and after a pause. */
const FIRST_GAP_MS = 60;
const GAP_AFTER_PAUSE_MS = 200;
/** After a pause one call tries in this time, until one is answered. */
const TRY_EVERY_MS = 1_000;
/** Each call that goes leaves this share of the time, until there is hardly any left. */
const CLOSER = 0.95;
const SHORTEST_GAP_MS = 5;

export interface BreakerOptions {
  /** The number of failures in a row that begins a pause. */
  readonly failuresToPause: number;
  /** True if calls come closer gradually, at first and after a pause. */
  readonly isGradual: boolean;
}

/** A failed call and its times, in milliseconds of one clock. */
export interface FailedCall {
  readonly failure: Pick<ServiceFailure, 'code' | 'retryAfterMs'>;
  readonly sentAtMs: number;
  readonly nowMs: number;
}

/** Circuit breaker: pauses calls while the service fails them, lets one try after the pause, and the others follow gradually. */
export class Breaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  /** Pauses in a row, with no answer between them. */
  #pauses = 0;
  #untilMs = -Infinity;
  #trippedAtMs = -Infinity;
  #cause: ServiceFailure['code'] | undefined;
  #gapMs: number;
  #sentAtMs = -Infinity;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#gapMs = options.isGradual ? FIRST_GAP_MS : 0;
  }

  /** Why calls are paused, from the first pause until an answer comes. */
  get cause(): ServiceFailure['code'] | undefined {
    return this.#cause;
  }

  get untilMs(): number {
    return this.#untilMs;
  }

  /** 0 if a call may go now, otherwise how long it has to wait. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs, this.#sentAtMs + this.#gapMs - nowMs);
  }

  sent(nowMs: number): void {
    this.#sentAtMs = nowMs;
    if (this.#cause !== undefined) return;
    const gapMs = this.#gapMs * CLOSER;
    this.#gapMs = gapMs < SHORTEST_GAP_MS ? 0 : gapMs;
  }

  /** Counts a failure. Returns true if it begins a pause. */
  failed({ failure, sentAtMs, nowMs }: FailedCall): boolean {
    this.#failures += 1;
    const { code, retryAfterMs } = failure;
    // A call sent before the pause says nothing new; it may only ask for a longer one.
    if (sentAtMs <= this.#trippedAtMs || nowMs < this.#untilMs) {
      this.#untilMs = Math.max(this.#untilMs, nowMs + (retryAfterMs ?? 0));
      return false;
    }
    if (this.#failures < this.#options.failuresToPause && this.#pauses === 0) return false;
    const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#pauses, 20), LONGEST_PAUSE_MS);
    this.#untilMs = nowMs + Math.max(retryAfterMs ?? backoffMs, SHORTEST_PAUSE_MS);
    this.#trippedAtMs = nowMs;
    this.#pauses += 1;
    this.#cause = code;
    if (this.#options.isGradual) this.#gapMs = TRY_EVERY_MS;
    return true;
  }

  /** A call that was sent at this time was answered. Returns true if that ends a pause: one that was sent before it does not. */
  answered(sentAtMs: number): boolean {
    this.#failures = 0;
    if (this.#cause === undefined || sentAtMs <= this.#trippedAtMs) return false;
    this.#pauses = 0;
    this.#untilMs = -Infinity;
    this.#cause = undefined;
    if (this.#options.isGradual) this.#gapMs = GAP_AFTER_PAUSE_MS;
    return true;
  }
}
