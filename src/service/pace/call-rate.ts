export interface CallRateOptions {
  /** The most calls a second, as the account's settings say. @default no limit */
  readonly limit?: number | undefined;
  readonly nowMs: number;
}

/** A limit in calls a second. One measured by a short burst is a guess: the pause may be longer than the window. */
interface Measure {
  readonly perSecond: number;
  readonly isGuess: boolean;
}

/** A call that the service refused because of its limit: when it was sent and answered, and how long calls pause now. */
export interface Limited {
  readonly sentAtMs: number;
  readonly nowMs: number;
  readonly pauseMs: number;
}

/** Rates are measured over this time at most, and this many calls. */
const MEASURED_MS = 10_000;
const MOST_MEASURED = 2_000;
/** Fewer calls, or with a learned rate a shorter time, are not enough for a measurement. */
const FEWEST_MEASURED = 3;
const SHORTEST_PACED_MS = 3_000;
/** Calls resume a little below what was measured: the service's clock is not ours. */
const RESUME_AT = 0.92;
/** Others may have used up the limit, so one answer never takes more than half of a rate that held. */
const DEEPEST_CUT = 0.5;
const UNMEASURED_PER_SECOND = 2;
const SLOWEST_PER_SECOND = 0.5;
/** The rate rises by these shares a second: slowly near a limit that was measured well, faster elsewhere. */
const RAISE_NEAR = 0.01;
const RAISE_GUESSED = 0.05;
const RAISE_FAR = 0.1;
const NEAR = { from: 0.9, to: 1.1 } as const;
/** A learned rate that has risen this far is dropped. */
const FULL_SPEED_PER_SECOND = 200;
/** At a learned rate calls go evenly, which fits every kind of window. A late timer may catch up by this much. */
const CATCH_UP_S = 0.05;

/**
 * How many calls a second an account makes: within its configured limit, and within the limit of the service, which it
 * learns from the answers. Every time is in milliseconds of one clock.
 */
export class CallRate {
  #limit: number;
  #learned = Infinity;
  /** The limit of the service when it was last measured. */
  #measured: Measure | undefined;
  #tokens: number;
  #refilledAtMs: number;
  #raisedAtMs: number;
  /** When the service took the latest calls. */
  #accepted: number[] = [];

  constructor({ limit = Infinity, nowMs }: CallRateOptions) {
    this.#limit = limit;
    this.#tokens = this.#capacity();
    this.#refilledAtMs = this.#raisedAtMs = nowMs;
  }

  /** Calls a second. */
  get perSecond(): number {
    return Math.min(this.#learned, this.#limit);
  }

  /** The configured limit is another one from now on, with no more saved up than that allows. */
  limitTo(perSecond: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#limit = perSecond;
    this.#tokens = Math.min(this.#tokens, this.#capacity());
  }

  /** 0 if a call may go now, otherwise how long it has to wait. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    // Sums of parts of a token are a little off.
    return this.#tokens >= 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.perSecond) * 1_000;
  }

  /** A call is sent. One that cannot wait may go into debt, by a second's calls at most. */
  spend(nowMs: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(this.#tokens - 1, -Math.max(1, this.perSecond));
  }

  /** The service took a call. */
  accepted(nowMs: number): void {
    this.#accepted.push(nowMs);
    if (this.#accepted.length > 2 * MOST_MEASURED) this.#accepted = this.#accepted.slice(-MOST_MEASURED);
    if (this.#learned < Infinity) this.#raise(nowMs);
  }

  /** The service limited a call, and calls pause. Afterwards they go at the rate that it accepted. */
  limited({ sentAtMs, nowMs, pauseMs }: Limited): void {
    const before = this.#learned;
    this.#measured = this.#measure(sentAtMs, pauseMs);
    const resumed =
      this.#measured === undefined
        ? Math.min(UNMEASURED_PER_SECOND, before * DEEPEST_CUT)
        : this.#measured.perSecond * RESUME_AT;
    const cut = before < Infinity ? Math.max(resumed, before * DEEPEST_CUT) : resumed;
    this.#learned = Math.max(cut, SLOWEST_PER_SECOND);
    this.#accepted = [];
    this.pausedUntil(nowMs + pauseMs);
  }

  /** After a pause one call goes first; nothing is saved up during it. */
  pausedUntil(untilMs: number): void {
    this.#tokens = 1;
    this.#refilledAtMs = this.#raisedAtMs = untilMs;
  }

  /** The most that the service accepted a second, over any time that ended with the refused call. */
  #measure(sentAtMs: number, pauseMs: number): Measure | undefined {
    const latest = this.#accepted.filter((atMs) => atMs >= sentAtMs - MEASURED_MS).reverse();
    const spans = latest.map((atMs, index) => ({ spanMs: Math.max(1, sentAtMs - atMs), calls: index + 1 }));
    if (this.#learned < Infinity) {
      // What was sustained at a learned rate is a measurement by itself.
      const shortestMs = Math.max(SHORTEST_PACED_MS, pauseMs);
      const sustained = spans.filter(({ spanMs }) => spanMs >= shortestMs).map(perSecond(0));
      if (sustained.length > 0) {
        return { perSecond: Math.min(Math.max(...sustained), this.#learned), isGuess: false };
      }
      // Limited again at once after a good measurement: it was a little too high.
      if (this.#measured?.isGuess === false) {
        return { perSecond: this.#learned * RESUME_AT, isGuess: true };
      }
    }
    // A burst used up the calls of a window, which may last until the pause is over.
    if (spans.length < FEWEST_MEASURED) return undefined;
    return { perSecond: Math.min(Math.max(...spans.map(perSecond(pauseMs))), this.#learned), isGuess: true };
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

const perSecond =
  (pauseMs: number) =>
  ({ spanMs, calls }: { readonly spanMs: number; readonly calls: number }): number =>
    (calls / (spanMs + pauseMs)) * 1_000;
