import type { ServiceFailure } from '../../errors';

const SHORTEST_PAUSE_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The time between two calls at first, while the service's limit is unknown. */
const FIRST_GAP_MS = 60;
/** The time between two calls once an answer has ended a pause. */
const GAP_AFTER_PAUSE_MS = 200;
/** After a pause, one call goes in each interval of this length until a call is answered. */
const TRY_EVERY_MS = 1_000;
/** Each call shortens the gap to this share of it. A gap shorter than `SHORTEST_GAP_MS` is dropped. */
const CLOSER = 0.95;
const SHORTEST_GAP_MS = 5;

export interface BreakerOptions {
  /**
   * The number of failures in a row that begins a pause. Until a call is answered, each further failure after a pause begins the next one.
   */
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

/**
 * A circuit breaker: pauses calls while the service fails them. If `isGradual`, one call a second is tried after the pause. When one is
 * answered, the others follow gradually.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  /** Failures in a row, without those of `#unreachable`. */
  #failures = 0;
  /** Calls in a row that could not reach the service. */
  #unreachable = 0;
  /** Pauses in a row, without an answer between them. */
  #pauses = 0;
  /** The end of the latest pause; `-Infinity` while there is no cause. */
  #untilMs = -Infinity;
  #trippedAtMs = -Infinity;
  #cause: ServiceFailure['code'] | undefined;
  #gapMs: number;
  #sentAtMs = -Infinity;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#gapMs = options.isGradual ? FIRST_GAP_MS : 0;
  }

  /** The reason for the latest pause; `undefined` once an answer has ended it. */
  get cause(): ServiceFailure['code'] | undefined {
    return this.#cause;
  }

  get untilMs(): number {
    return this.#untilMs;
  }

  /** Returns 0 if a call may go now, otherwise its wait in milliseconds. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs, this.#sentAtMs + this.#gapMs - nowMs);
  }

  sent(nowMs: number): void {
    this.#sentAtMs = nowMs;
    if (this.#cause !== undefined) return;
    const gapMs = this.#gapMs * CLOSER;
    this.#gapMs = gapMs < SHORTEST_GAP_MS ? 0 : gapMs;
  }

  /** Records a failure. Returns true if it begins a pause. */
  failed({ failure, sentAtMs, nowMs }: FailedCall): boolean {
    const { code, retryAfterMs } = failure;
    // A call that was sent before the pause, or fails during it, says nothing new. It may only lengthen a pause that no answer has ended.
    if (sentAtMs <= this.#trippedAtMs || nowMs < this.#untilMs) {
      if (this.#cause !== undefined) this.#untilMs = Math.max(this.#untilMs, nowMs + (retryAfterMs ?? 0));
      return false;
    }
    if (code === 'SERVICE_UNREACHABLE') this.#unreachable += 1;
    else this.#failures += 1;
    const failures = this.#failures + this.#unreachable;
    if (failures < this.#options.failuresToPause && this.#pauses === 0) return false;
    const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#pauses, 20), LONGEST_PAUSE_MS);
    this.#untilMs = nowMs + Math.max(retryAfterMs ?? backoffMs, SHORTEST_PAUSE_MS);
    this.#trippedAtMs = nowMs;
    this.#pauses += 1;
    this.#cause = code;
    if (this.#options.isGradual) this.#gapMs = TRY_EVERY_MS;
    return true;
  }

  /**
   * Records the answer of a call that was sent at this time. Returns true if it ends a pause; a call that was sent before the pause
   * does not.
   */
  answered(sentAtMs: number): boolean {
    this.#failures = 0;
    this.#unreachable = 0;
    if (this.#cause === undefined || sentAtMs <= this.#trippedAtMs) return false;
    this.#pauses = 0;
    this.#untilMs = -Infinity;
    this.#cause = undefined;
    if (this.#options.isGradual) this.#gapMs = GAP_AFTER_PAUSE_MS;
    return true;
  }

  /** Records the answer of another kind of call, which shows only that the service can be reached. */
  reached(sentAtMs: number): void {
    this.#unreachable = 0;
    if (this.#cause === 'SERVICE_UNREACHABLE') this.answered(sentAtMs);
  }
}
