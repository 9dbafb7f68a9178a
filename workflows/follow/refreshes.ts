/** The refreshes that callers asked for: many of them share one poll. */
export class Refreshes {
  #asked = 0;
  #served = 0;
  #lastPollAtMs = 0;

  /** Asks for a refresh; the answer tells whether a finished poll has served it. */
  ask(): () => boolean {
    this.#asked += 1;
    const ticket = this.#asked;
    return () => this.#served >= ticket;
  }

  get pending(): boolean {
    return this.#asked > this.#served;
  }

  /** A poll begins at `nowMs`; gives what tells that it has ended: it serves all that was asked for before. */
  begin(nowMs: number): () => void {
    this.#lastPollAtMs = nowMs;
    const serves = this.#asked;
    return () => {
      this.#served = serves;
    };
  }

  /** When a refresh may poll again at the earliest, in epoch milliseconds. */
  notBeforeMs(spacingMs: number): number {
    return this.#lastPollAtMs + spacingMs;
  }
}
