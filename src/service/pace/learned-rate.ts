/** A call that the service refused because of its limit, with its times and the length of the pause. */
export interface Limited {
  readonly sentAtMs: number;
  readonly nowMs: number;
  readonly pauseMs: number;
}

/** The facts from which the new rate is estimated when the service has refused a call. */
interface Evidence {
  readonly call: Limited;
  /** The learned rate before the refusal. */
  readonly learned: number;
  /** The times of the answers to calls that the service took before it refused this one. */
  readonly accepted: number[];
}

/** The limit is estimated from the latest calls: those within this time, but at most twice `MOST_MEASURED`. */
const MEASURED_MS = 10_000;
const MOST_MEASURED = 2_000;
/** Fewer calls are not enough for an estimate. */
const FEWEST_MEASURED = 3;
/** A service reports the rest of its window in whole seconds, rounded up by at most this time. */
const ROUNDED_UP_MS = 1_000;
const UNMEASURED_PER_SECOND = 2;
const SLOWEST_PER_SECOND = 0.5;
/** Calls resume a little below the limit, because the service's clock differs from ours. */
const CUT = 0.92;
/** A learned rate that held for this long is close to the limit. */
const SUSTAINED_MS = 3_000;
/** Other clients may have used up the limit, so one refusal never takes more than half of a learned rate. */
const DEEPEST_CUT = 0.5;
/** The rate rises by these shares a second: slowly near the limit that was met, faster elsewhere. */
const RAISE_NEAR = 0.01;
const RAISE_FAR = 0.1;
const NEAR = { from: 0.9, to: 1.1 } as const;
/** A learned rate that has risen this far is dropped, so that only the configured limit applies. */
const FULL_SPEED_PER_SECOND = 200;
/** At a learned rate calls go evenly, which fits every kind of window. After a late timer, calls may catch up by this many seconds. */
const CATCH_UP_S = 0.05;

/**
 * A token bucket with the account's configured limit and the service's limit, which it learns from the answers. The rate drops when
 * the service limits a call, and rises while the service takes calls. Every time is in milliseconds of one clock.
 */
export class CallRate {
  #limit: number;
  #learned = Infinity;
  /** The service's limit, as estimated when it last refused a call. */
  #metAt = Infinity;
  #tokens: number;
  #refilledAtMs: number;
  #raisedAtMs: number;
  /** The times of the answers to the latest calls that the service took since it last refused one. */
  #accepted: number[] = [];
  #evidence: Evidence | undefined;

  /** `limit`: the maximum number of calls a second, from the account's settings. */
  constructor(limit = Infinity, nowMs: number) {
    this.#limit = limit;
    this.#tokens = this.#capacity();
    this.#refilledAtMs = this.#raisedAtMs = nowMs;
  }

  /** Calls a second. */
  get perSecond(): number {
    return Math.min(this.#learned, this.#limit);
  }

  /** Replaces the configured limit. Keeps no more saved calls than the new limit allows. */
  limitTo(perSecond: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#limit = perSecond;
    this.#tokens = Math.min(this.#tokens, this.#capacity());
  }

  /** Returns 0 if a call may go now, otherwise its wait in milliseconds. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    // Sums of parts of a token are a little off.
    return this.#tokens >= 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.perSecond) * 1_000;
  }

  /**
   * Records that a call is sent. Calls that cannot wait may put the bucket into debt, by the calls of one second or by one call, whichever
   * is more.
   */
  spend(nowMs: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(this.#tokens - 1, -Math.max(1, this.perSecond));
  }

  /** Records that the service took a call that was sent at this time. */
  accepted(sentAtMs: number, nowMs: number): void {
    const evidence = this.#evidence;
    // Slow answers to calls that were sent before the refusal arrive after it: without them, the estimate is too low.
    if (evidence !== undefined && sentAtMs <= evidence.call.nowMs && nowMs < this.#raisedAtMs) {
      evidence.accepted.push(nowMs);
      this.#slowDown(evidence);
      return;
    }
    this.#accepted.push(nowMs);
    if (this.#accepted.length > 2 * MOST_MEASURED) this.#accepted = this.#accepted.slice(-MOST_MEASURED);
    if (this.#learned < Infinity) this.#raise(nowMs);
  }

  /** Records that the service limited a call: estimates the service's limit, adjusts the rate, and begins a pause. */
  limited(call: Limited): void {
    this.#evidence = { call, learned: this.#learned, accepted: this.#accepted };
    this.#accepted = [];
    this.#slowDown(this.#evidence);
    this.pausedUntil(call.nowMs + call.pauseMs);
  }

  /** Sets the end of a pause, during which no calls are saved up. One call may go right after it. */
  pausedUntil(untilMs: number): void {
    this.#tokens = 1;
    this.#refilledAtMs = this.#raisedAtMs = untilMs;
  }

  /** Sets the rate a little below the estimated limit, as far as `DEEPEST_CUT` and `SLOWEST_PER_SECOND` allow. */
  #slowDown({ call, learned, accepted }: Evidence): void {
    const [firstAtMs = Infinity] = accepted;
    const isSustained = learned < Infinity && call.sentAtMs - firstAtMs >= SUSTAINED_MS;
    this.#metAt = isSustained ? learned : Math.min(estimate(call, accepted), learned);
    const lowest = learned < Infinity ? learned * DEEPEST_CUT : SLOWEST_PER_SECOND;
    this.#learned = Math.max(this.#metAt * CUT, lowest, SLOWEST_PER_SECOND);
  }

  #raise(nowMs: number): void {
    const elapsedS = Math.min(Math.max(0, nowMs - this.#raisedAtMs) / 1_000, 1);
    this.#refill(nowMs);
    this.#raisedAtMs = Math.max(nowMs, this.#raisedAtMs);
    const share = this.#learned / this.#metAt;
    const speed = share > NEAR.from && share < NEAR.to ? RAISE_NEAR : RAISE_FAR;
    this.#learned *= 1 + speed * elapsedS;
    if (this.#learned >= FULL_SPEED_PER_SECOND) this.#learned = Infinity;
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#refilledAtMs);
    this.#refilledAtMs = Math.max(nowMs, this.#refilledAtMs);
    const earned = this.perSecond === Infinity ? Infinity : (elapsedMs * this.perSecond) / 1_000;
    this.#tokens = Math.min(this.#tokens + earned, this.#capacity());
  }

  /**
   * Returns the maximum number of calls that may be saved up: the calls of one second, but at least one. At a learned rate below the
   * configured limit: one, plus the calls of `CATCH_UP_S` seconds.
   */
  #capacity(): number {
    return this.#learned < this.#limit ? 1 + this.#learned * CATCH_UP_S : Math.max(1, this.#limit);
  }
}

/** Estimates the limit from a burst, which used up the calls of a window that may last until the pause is over. */
function estimate({ sentAtMs, pauseMs }: Limited, accepted: readonly number[]): number {
  const latest = accepted.filter((atMs) => atMs >= sentAtMs - MEASURED_MS).reverse();
  if (latest.length < FEWEST_MEASURED) return UNMEASURED_PER_SECOND;
  const windowMs = (spanMs: number) => Math.max(1, spanMs, pauseMs, spanMs + pauseMs - ROUNDED_UP_MS);
  const rates = latest.map((atMs, index) => (index + 1) / windowMs(sentAtMs - atMs));
  return Math.max(...rates) * 1_000;
}
