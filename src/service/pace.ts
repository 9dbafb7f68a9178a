import type { ServiceFailure } from '../errors';

export interface PaceOptions {
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** 0 to 1, spreads the calls that were turned away. @default Math.random */
  readonly random?: () => number;
  /** The most calls a second. @default no limit */
  readonly callsPerSecond?: number;
  /** Called when calls are paused, and with `undefined` when they resume. */
  readonly onChange?: (pause: Pause | undefined) => void;
}

/** Why calls are paused, and for how long. */
export interface Pause {
  readonly cause: ServiceFailure['code'];
  readonly forMs: number;
}

/** The service counts as down after this many failures in a row. */
const FAILURES_TO_PAUSE = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** After a pause calls start at this rate, and each that succeeds raises it, until it matters no more. */
const RESUME_PER_SECOND = 2;
const RAISE = 1.5;
const FULL_SPEED_PER_SECOND = 100;
/** Calls that were turned away come back spread over so long at most. */
const LONGEST_SPREAD_MS = 60_000;

/**
 * The pace of one account's calls: a rate limit, and a circuit breaker. When the service fails again and again or limits
 * calls, all calls of the account pause together; afterwards they resume gradually, one call first.
 */
export class Pace {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #limit: number;
  readonly #onChange: (pause: Pause | undefined) => void;
  #rate: number;
  #tokens: number;
  #refilledAtMs: number;
  #pausedUntilMs = 0;
  /** Pauses in a row, with no call between them that succeeded. */
  #pauses = 0;
  #failures = 0;
  #turnedAway = 0;

  constructor(options: PaceOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
    this.#limit = options.callsPerSecond ?? Infinity;
    this.#onChange = options.onChange ?? (() => undefined);
    this.#rate = this.#limit;
    this.#tokens = burstOf(this.#limit);
    this.#refilledAtMs = this.#now();
  }

  /** 0 when a call may be made now; else it is turned away, and may ask again after so many milliseconds. */
  ask(): number {
    const nowMs = this.#now();
    if (nowMs < this.#pausedUntilMs) return this.#turnAway(this.#pausedUntilMs - nowMs);
    this.#refill(nowMs);
    if (this.#tokens < 1) return this.#turnAway(((1 - this.#tokens) / this.#rate) * 1_000);
    this.#tokens -= 1;
    this.#turnedAway = Math.max(0, this.#turnedAway - 1);
    return 0;
  }

  /** A call that may not wait: it counts, and is never turned away. */
  pass(): void {
    this.#refill(this.#now());
    this.#tokens = Math.max(this.#tokens - 1, -burstOf(this.#rate));
  }

  /** The service answered. */
  succeeded(): void {
    this.#failures = 0;
    if (this.#now() < this.#pausedUntilMs) return;
    if (this.#pauses > 0) this.#onChange(undefined);
    this.#pauses = 0;
    if (this.#rate < this.#limit) this.#raise();
  }

  /** A call failed; only failures of the service as a whole pause the account. */
  failed({ code, retryAfterMs = 0 }: Pick<ServiceFailure, 'code' | 'retryAfterMs'>): void {
    if (code === 'SERVICE_RATE_LIMITED') {
      this.#pause(code, retryAfterMs);
    } else if (isOutage(code)) {
      this.#failures += 1;
      const isFirstAfterPause = this.#pauses > 0;
      if (this.#failures >= FAILURES_TO_PAUSE || isFirstAfterPause) this.#pause(code, retryAfterMs);
    } else {
      this.succeeded();
    }
  }

  /** Calls that were under way when a pause began may lengthen it as the service asks, but it counts once. */
  #pause(cause: Pause['cause'], retryAfterMs: number): void {
    const nowMs = this.#now();
    const isPaused = nowMs < this.#pausedUntilMs;
    const backoffMs = isPaused
      ? 0
      : Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#pauses, 20), LONGEST_PAUSE_MS);
    const untilMs = nowMs + Math.max(backoffMs, retryAfterMs);
    if (untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    if (!isPaused) this.#pauses += 1;
    this.#rate = Math.min(RESUME_PER_SECOND, this.#limit);
    this.#tokens = 1;
    this.#refilledAtMs = untilMs;
    this.#onChange({ cause, forMs: untilMs - nowMs });
  }

  #raise(): void {
    this.#refill(this.#now());
    const raised = this.#rate * RAISE;
    this.#rate = raised < FULL_SPEED_PER_SECOND ? Math.min(raised, this.#limit) : this.#limit;
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#refilledAtMs);
    this.#refilledAtMs = Math.max(nowMs, this.#refilledAtMs);
    const earned = this.#rate === Infinity ? Infinity : (elapsedMs * this.#rate) / 1_000;
    this.#tokens = Math.min(this.#tokens + earned, burstOf(this.#rate));
  }

  /** The more calls are turned away, the wider they are spread: as wide as full speed takes to serve them. */
  #turnAway(waitMs: number): number {
    this.#turnedAway += 1;
    const fullSpeed = Math.min(this.#limit, FULL_SPEED_PER_SECOND);
    const spreadMs = Math.min((this.#turnedAway / fullSpeed) * 1_000, LONGEST_SPREAD_MS);
    return Math.ceil(waitMs + this.#random() * spreadMs);
  }
}

/** One second's calls may come at once. */
const burstOf = (rate: number): number => Math.max(1, rate);

function isOutage(code: ServiceFailure['code']): boolean {
  return code === 'SERVICE_UNREACHABLE' || code === 'SERVICE_INTERRUPTED' || code === 'SERVICE_FAILED';
}
