/** A poll, and which of the refreshes that were asked for it serves. */
export interface RefreshingPoll {
  /** Whether a caller waits for it. */
  readonly urgent: boolean;
  readonly serves: number;
}

/** The refreshes that callers asked for: many of them share one poll. */
export class Refreshes {
  private asked = 0;
  private served = 0;
  private lastUrgentAtMs = 0;

  /** Asks for a refresh; the answer tells whether a finished poll has served it. */
  ask(): () => boolean {
    this.asked += 1;
    const ticket = this.asked;
    return () => this.served >= ticket;
  }

  get pending(): boolean {
    return this.asked > this.served;
  }

  /** A poll begins at `nowMs`: it serves all that was asked for before. */
  begin(nowMs: number): RefreshingPoll {
    const urgent = this.pending;
    if (urgent) this.lastUrgentAtMs = nowMs;
    return { urgent, serves: this.asked };
  }

  /** Whether another refresh was asked for after this poll had begun. */
  askedSince({ serves }: RefreshingPoll): boolean {
    return this.asked > serves;
  }

  /** The poll has reported the state. */
  finish({ serves }: RefreshingPoll): void {
    this.served = serves;
  }

  /** When a refresh may poll again at the earliest, in epoch milliseconds. */
  notBeforeMs(spacingMs: number): number {
    return this.lastUrgentAtMs + spacingMs;
  }
}
