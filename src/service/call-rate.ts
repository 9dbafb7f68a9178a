export interface CallRateOptions {
  /** The most calls a second, as the account's settings say. @default no limit */
  readonly limit?: number | undefined;
  readonly nowMs: number;
}

/** A limit in calls a second. One that a short burst met is a guess: the pause may be longer than its window. */
interface Measure {
  readonly perSecond: number;
  readonly isGuess: boolean;
}

/** A call that the service refused for its limit: when it was sent and answered, and how long none is made now. */
export interface Limited {
  readonly sentAtMs: number;
  readonly nowMs: number;
  readonly pauseMs: number;
}

/** How many calls the service took since some moment. */
interface Period {
  readonly sinceMs: number;
  accepted: number;
}

/** Rates are measured over the last one or two periods of calls. */
const PERIOD_MS = 5_000;
/** After such a time without calls a measurement begins anew: what was not asked for tells nothing of a limit. */
const IDLE_MS = 2_000;
/** Fewer calls than these are no measurement. */
const FEWEST_MEASURED = 3;
/** Calls resume a little below what was measured: the service's clock is not ours. */
const RESUME_AT = 0.92;
/** One answer may come from a limit that others have used up: it never takes more than half of a rate that held. */
const DEEPEST_CUT = 0.5;
const UNMEASURED_PER_SECOND = 2;
const SLOWEST_PER_SECOND = 0.5;
/** The rate rises by so much a second: slowly near a limit that was measured well, faster where that is or was wrong. */
const RAISE_NEAR = 0.01;
const RAISE_GUESSED = 0.05;
const RAISE_FAR = 0.1;
const NEAR = { from: 0.9, to: 1.1 } as const;
/** A learned rate that has risen so far limits nothing any more. */
const FULL_SPEED_PER_SECOND = 200;
/** At a learned rate calls go evenly, as windows of every shape allow; this much that a late timer missed is made up for. */
const CATCH_UP_S = 0.05;

/**
 * How many calls a second an account makes: within its configured limit, and within the limit of the service, which it
 * learns from the answers. Every time is in milliseconds of one clock.
 */
export class CallRate {
  readonly #limit: number;
  #learned = Infinity;
  /** The limit of the service when it was last measured. */
  #measured: Measure | undefined;
  #tokens: number;
  #refilledAtMs: number;
  #raisedAtMs: number;
  #sentAtMs: number;
  #period: Period;
  #periodBefore: Period | undefined;

  constructor({ limit = Infinity, nowMs }: CallRateOptions) {
    this.#limit = limit;
    this.#tokens = this.#capacity();
    this.#refilledAtMs = this.#raisedAtMs = this.#sentAtMs = nowMs;
    this.#period = { sinceMs: nowMs, accepted: 0 };
  }

  /** Calls a second. */
  get perSecond(): number {
    return Math.min(this.#learned, this.#limit);
  }

  /** 0 when a call may go now, else how long it has to wait. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    // Sums of parts of a token are a little off.
    return this.#tokens >= 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.perSecond) * 1_000;
  }

  /** A call goes. One that may not wait may go into debt, of a second's calls at most. */
  spend(nowMs: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(this.#tokens - 1, -Math.max(1, this.perSecond));
    if (nowMs - this.#sentAtMs > IDLE_MS) this.#measureFrom(nowMs);
    this.#sentAtMs = nowMs;
  }

  /** The service took a call. */
  accepted(nowMs: number): void {
    if (nowMs - this.#period.sinceMs >= PERIOD_MS) {
      this.#periodBefore = this.#period;
      this.#period = { sinceMs: nowMs, accepted: 0 };
    }
    this.#period.accepted += 1;
    if (this.#learned < Infinity) this.#raise(nowMs);
  }

  /** The service limits calls, and none is made for so long: afterwards they go at the rate that it took. */
  limited({ sentAtMs, nowMs, pauseMs }: Limited): void {
    const before = this.#learned;
    this.#measured = this.#measure(sentAtMs, pauseMs);
    const resumed =
      this.#measured === undefined
        ? Math.min(UNMEASURED_PER_SECOND, before * DEEPEST_CUT)
        : this.#measured.perSecond * RESUME_AT;
    const cut = before < Infinity ? Math.max(resumed, before * DEEPEST_CUT) : resumed;
    this.#learned = Math.max(cut, SLOWEST_PER_SECOND);
    this.#measureFrom(nowMs + pauseMs);
    this.pausedUntil(nowMs + pauseMs);
  }

  /** After a pause one call goes first; nothing was saved up meanwhile. */
  pausedUntil(untilMs: number): void {
    this.#tokens = 1;
    this.#refilledAtMs = this.#raisedAtMs = untilMs;
    if (this.#period.accepted === 0) this.#measureFrom(untilMs);
  }

  #measureFrom(nowMs: number): void {
    this.#period = { sinceMs: nowMs, accepted: 0 };
    this.#periodBefore = undefined;
  }

  /** What the service took in a second. A burst used up the calls of a window, which lasts until the pause is over. */
  #measure(sentAtMs: number, pauseMs: number): Measure | undefined {
    const accepted = this.#period.accepted + (this.#periodBefore?.accepted ?? 0);
    if (accepted < FEWEST_MEASURED) return undefined;
    const elapsedMs = Math.max(1, sentAtMs - (this.#periodBefore ?? this.#period).sinceMs);
    const isGuess = elapsedMs < pauseMs;
    return { perSecond: (accepted / (isGuess ? elapsedMs + pauseMs : elapsedMs)) * 1_000, isGuess };
  }

  #raise(nowMs: number): void {
    const elapsedS = Math.min(Math.max(0, nowMs - this.#raisedAtMs) / 1_000, 1);
    this.#refill(nowMs);
    this.#raisedAtMs = Math.max(nowMs, this.#raisedAtMs);
    this.#learned *= 1 + this.#raiseSpeed() * elapsedS;
    if (this.#learned >= FULL_SPEED_PER_SECOND) this.#learned = Infinity;
  }

  #raiseSpeed(): number {
    if (this.#measured === undefined) return RAISE_FAR;
    const share = this.#learned / this.#measured.perSecond;
    if (share < NEAR.from || share > NEAR.to) return RAISE_FAR;
    return this.#measured.isGuess ? RAISE_GUESSED : RAISE_NEAR;
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#refilledAtMs);
    this.#refilledAtMs = Math.max(nowMs, this.#refilledAtMs);
    const rate = this.perSecond;
    const earned = rate === Infinity ? Infinity : (elapsedMs * rate) / 1_000;
    this.#tokens = Math.min(this.#tokens + earned, this.#capacity());
  }

  /** One second's calls may come at once within the configured limit, which counts no windows. */
  #capacity(): number {
    return this.#learned < this.#limit ? 1 + this.#learned * CATCH_UP_S : Math.max(1, this.#limit);
  }
}
