import type { ServiceFailure } from '../../errors';

const SHORTEST_PAUSE_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The first time between two calls, while the service's rate limit is unknown. */
const FIRST_GAP_MS = 60;
/** The time between two calls once an answer has ended a pause. */
const GAP_AFTER_PAUSE_MS = 200;
/** After a pause, one call is sent in each interval of this length, until a call is answered. */
const TRY_EVERY_MS = 1_000;
/** Each call shortens the time between two calls by this factor. If it becomes shorter than `SHORTEST_GAP_MS`, it is set to 0. */
const CLOSER = 0.95;
const SHORTEST_GAP_MS = 5;

export interface BreakerOptions {
  /**
   * The number of failures in a row after which a pause begins. After the first pause, a single failure begins the next pause, until a
   * call is answered.
   */
  readonly failuresToPause: number;
  /** True if the rate of calls increases gradually, at the start and after a pause. */
  readonly isGradual: boolean;
}

/** A failed call, with the time at which it was sent and the current time. Both are in milliseconds of one clock. */
export interface FailedCall {
  readonly failure: Pick<ServiceFailure, 'code' | 'retryAfterMs'>;
  readonly sentAtMs: number;
  readonly nowMs: number;
}

/**
 * A circuit breaker: pauses calls while the service fails them. If `isGradual` is true, one call per second is sent after the pause. As
 * soon as one of them is answered, the rate increases gradually.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  /** The number of failures in a row, without the failures that `#unreachable` counts. */
  #failures = 0;
  /** The number of calls in a row that could not reach the service. */
  #unreachable = 0;
  /** The number of pauses in a row without an answer between them. */
  #pauses = 0;
  /** The end of the latest pause. `-Infinity` if an answer has ended it. */
  #untilMs = -Infinity;
  #trippedAtMs = -Infinity;
  #cause: ServiceFailure['code'] | undefined;
  #gapMs: number;
  #sentAtMs = -Infinity;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#gapMs = options.isGradual ? FIRST_GAP_MS : 0;
  }

  /** The reason for the latest pause. `undefined` if an answer has ended it. */
  get cause(): ServiceFailure['code'] | undefined {
    return this.#cause;
  }

  get untilMs(): number {
    return this.#untilMs;
  }

  /** Returns 0 if a call may be sent now, otherwise the wait in milliseconds. */
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
    // The failure of a call that was sent before the pause, or that fails during the pause, is not news. It may only
    // lengthen the current pause.
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
   * Records the answer of a call that was sent at `sentAtMs`. Returns true if the answer ends a pause. The answer of a call that was
   * sent before the pause does not end it.
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

  /** Records the answer of another kind of call. Such an answer shows only that the service can be reached. */
  reached(sentAtMs: number): void {
    this.#unreachable = 0;
    if (this.#cause === 'SERVICE_UNREACHABLE') this.answered(sentAtMs);
  }
}
