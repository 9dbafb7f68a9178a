/** A call that the service refused because of its rate limit, with its times and the length of the resulting pause. */
export interface Limited {
  readonly sentAtMs: number;
  readonly nowMs: number;
  readonly pauseMs: number;
}

/** The facts from which the new rate is estimated after the service has refused a call. */
interface Evidence {
  readonly call: Limited;
  /** The learned rate before the refusal. */
  readonly learned: number;
  /** The times of the answers to calls that the service accepted before it refused this call. */
  readonly accepted: number[];
}

/** The service's limit is estimated from the calls within this time before the refusal, but from at most twice `MOST_MEASURED` calls. */
const MEASURED_MS = 10_000;
const MOST_MEASURED = 2_000;
/** The minimum number of calls for an estimate. With fewer calls, `UNMEASURED_PER_SECOND` is assumed. */
const FEWEST_MEASURED = 3;
/** A service reports the rest of its rate window in whole seconds, rounded up by at most this time. */
const ROUNDED_UP_MS = 1_000;
const UNMEASURED_PER_SECOND = 2;
const SLOWEST_PER_SECOND = 0.5;
/** Calls resume at this share of the estimated limit, because the service's clock differs from ours. */
const CUT = 0.92;
/** If a learned rate was not refused for this long, it is close to the service's limit. */
const SUSTAINED_MS = 3_000;
/** One refusal reduces a learned rate at most to this share, because other clients may have used up the limit. */
const DEEPEST_CUT = 0.5;
/** The shares by which the rate rises per second: slowly near the last known limit, faster elsewhere. */
const RAISE_NEAR = 0.01;
const RAISE_FAR = 0.1;
const NEAR = { from: 0.9, to: 1.1 } as const;
/** If a learned rate has risen to this value, it is dropped. Then only the configured limit applies. */
const FULL_SPEED_PER_SECOND = 200;
/**
 * At a learned rate, calls are evenly spaced, which fits every kind of rate window. If a timer is late, calls may make up for this many
 * seconds.
 */
const CATCH_UP_S = 0.05;

/**
 * A token bucket that limits the rate of an account's calls. It follows the configured limit and the service's own limit. The service's
 * limit is learned from answers: the rate drops if the service refuses a call because of its limit, and rises while the service accepts
 * calls. All times are in milliseconds of one clock.
 */
export class CallRate {
  #limit: number;
  #learned = Infinity;
  /** The service's limit, as it was estimated after the last refusal. */
  #metAt = Infinity;
  #tokens: number;
  #refilledAtMs: number;
  #raisedAtMs: number;
  /** The times of the answers to the latest calls that the service has accepted since its last refusal. */
  #accepted: number[] = [];
  #evidence: Evidence | undefined;

  /** `limit` is the maximum number of calls per second, from the account's settings. */
  constructor(limit = Infinity, nowMs: number) {
    this.#limit = limit;
    this.#tokens = this.#capacity();
    this.#refilledAtMs = this.#raisedAtMs = nowMs;
  }

  /** The current maximum number of calls per second. */
  get perSecond(): number {
    return Math.min(this.#learned, this.#limit);
  }

  /** Replaces the configured limit. The bucket then keeps at most as many tokens as the new limit allows. */
  limitTo(perSecond: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#limit = perSecond;
    this.#tokens = Math.min(this.#tokens, this.#capacity());
  }

  /** Returns 0 if a call may go now, otherwise its wait in milliseconds. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    // Sums of fractions of a token are slightly inexact.
    return this.#tokens >= 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.perSecond) * 1_000;
  }

  /**
   * Records that a call is sent. Calls that must not wait, such as cancels, may bring the bucket below zero. The debt is at most the calls
   * of one second, or one call if that is more.
   */
  spend(nowMs: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(this.#tokens - 1, -Math.max(1, this.perSecond));
  }

  /** Records that the service accepted a call that was sent at `sentAtMs`. */
  accepted(sentAtMs: number, nowMs: number): void {
    const evidence = this.#evidence;
    // Slow answers to calls that were sent before the refusal arrive after the refusal. Without them, the estimate
    // would be too low.
    if (evidence !== undefined && sentAtMs <= evidence.call.nowMs && nowMs < this.#raisedAtMs) {
      evidence.accepted.push(nowMs);
      this.#slowDown(evidence);
      return;
    }
    this.#accepted.push(nowMs);
    if (this.#accepted.length > 2 * MOST_MEASURED) this.#accepted = this.#accepted.slice(-MOST_MEASURED);
    if (this.#learned < Infinity) this.#raise(nowMs);
  }

  /** Records that the service refused a call because of its rate limit. Estimates that limit, adjusts the rate, and begins a pause. */
  limited(call: Limited): void {
    this.#evidence = { call, learned: this.#learned, accepted: this.#accepted };
    this.#accepted = [];
    this.#slowDown(this.#evidence);
    this.pausedUntil(call.nowMs + call.pauseMs);
  }

  /** Sets the end of a pause. During the pause, the bucket gets no tokens. One call may be sent right after it. */
  pausedUntil(untilMs: number): void {
    this.#tokens = 1;
    this.#refilledAtMs = this.#raisedAtMs = untilMs;
  }

  /** Sets the rate a little below the estimated limit, but not below the limits of `DEEPEST_CUT` and `SLOWEST_PER_SECOND`. */
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
   * Returns the maximum number of tokens in the bucket. At the configured limit, it is the calls of one second, but at least one. At a
   * lower, learned rate, it is one, plus the calls of `CATCH_UP_S` seconds.
   */
  #capacity(): number {
    return this.#learned < this.#limit ? 1 + this.#learned * CATCH_UP_S : Math.max(1, this.#limit);
  }
}

/**
 * Estimates the service's limit, in calls per second, from the accepted calls before a refusal. These calls have used up a rate window,
 * which may last until the end of the pause.
 */
function estimate({ sentAtMs, pauseMs }: Limited, accepted: readonly number[]): number {
  const latest = accepted.filter((atMs) => atMs >= sentAtMs - MEASURED_MS).reverse();
  if (latest.length < FEWEST_MEASURED) return UNMEASURED_PER_SECOND;
  const windowMs = (spanMs: number) => Math.max(1, spanMs, pauseMs, spanMs + pauseMs - ROUNDED_UP_MS);
  const rates = latest.map((atMs, index) => (index + 1) / windowMs(sentAtMs - atMs));
  return Math.max(...rates) * 1_000;
}
