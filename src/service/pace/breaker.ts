import type { ServiceFailure } from '../../errors';

/** The service counts as down after this many failures in a row. */
const FAILURES_TO_PAUSE = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** How one call went wrong, and when, in milliseconds of one clock. */
export interface FailedCall {
  readonly failure: Pick<ServiceFailure, 'code' | 'retryAfterMs'>;
  readonly sentAtMs: number;
  readonly nowMs: number;
}

/** Pauses one kind of call while the service fails it again and again. */
export class Breaker {
  #failures = 0;
  /** Pauses in a row, with no answer between them. */
  #pauses = 0;
  #untilMs = -Infinity;
  #trippedAtMs = -Infinity;
  #cause: ServiceFailure['code'] | undefined;

  /** Why calls are paused, from the first pause until an answer comes. */
  get cause(): ServiceFailure['code'] | undefined {
    return this.#cause;
  }

  get untilMs(): number {
    return this.#untilMs;
  }

  /** Counts a failure. Returns whether it began a new pause. */
  failed({ failure, sentAtMs, nowMs }: FailedCall): boolean {
    this.#failures += 1;
    const { code, retryAfterMs = 0 } = failure;
    // A call sent before the pause says nothing new; it may only ask for a longer one.
    if (sentAtMs <= this.#trippedAtMs || nowMs < this.#untilMs) {
      this.#untilMs = Math.max(this.#untilMs, nowMs + retryAfterMs);
      return false;
    }
    if (this.#failures < FAILURES_TO_PAUSE && this.#pauses === 0) return false;
    const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#pauses, 20), LONGEST_PAUSE_MS);
    this.#untilMs = nowMs + Math.max(backoffMs, retryAfterMs);
    this.#trippedAtMs = nowMs;
    this.#pauses += 1;
    this.#cause = code;
    return true;
  }

  /** A call that was sent at this time was answered. One sent before the pause does not end it. */
  answered(sentAtMs: number): void {
    this.#failures = 0;
    if (sentAtMs > this.#trippedAtMs) this.close();
  }

  close(): void {
    this.#failures = 0;
    this.#pauses = 0;
    this.#untilMs = -Infinity;
    this.#cause = undefined;
  }
}
