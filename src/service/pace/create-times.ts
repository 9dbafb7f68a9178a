/** A create hangs when it takes longer than this, and this many times as long as others did. */
const SLOW_MS = 500;
const SLOW_TIMES = 4;
/** As long as nobody knows how long creates take. */
const SLOW_AT_FIRST_MS = 2_000;
/** The weight of the latest create in the mean. */
const LATEST = 0.1;

/** How long creates take that are answered, and so which of those under way hang. Times are milliseconds of the pace's clock. */
export class CreateTimes {
  #meanMs: number | undefined;
  #answeredSentAtMs = -Infinity;

  /** A create takes so long, and its caller goes on waiting: nobody knows what becomes of it. */
  get slowMs(): number {
    return this.#meanMs === undefined ? SLOW_AT_FIRST_MS : Math.max(SLOW_MS, SLOW_TIMES * this.#meanMs);
  }

  answered(sentAtMs: number, tookMs: number): void {
    const isOutlier = this.isOvertaken(sentAtMs) && tookMs > this.slowMs;
    this.#answeredSentAtMs = Math.max(this.#answeredSentAtMs, sentAtMs);
    if (isOutlier) return;
    this.#meanMs = this.#meanMs === undefined ? tookMs : this.#meanMs + LATEST * (tookMs - this.#meanMs);
  }

  /** Whether one that was sent no earlier has been answered: a create that hangs says nothing of the others then. */
  isOvertaken(sentAtMs: number): boolean {
    return sentAtMs <= this.#answeredSentAtMs;
  }
}
