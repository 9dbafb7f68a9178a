/** The only clock of a history. Its time changes only by `pass`, which runs before each operation, so all operations have different times. */
export class Clock {
  #nowMs = Date.parse('2026-03-02T09:00:00.000Z');

  readonly now = (): number => this.#nowMs;

  /** Lets time pass, and returns the new time. */
  pass(milliseconds: number): number {
    this.#nowMs += milliseconds;
    return this.#nowMs;
  }

  get iso(): string {
    return new Date(this.#nowMs).toISOString();
  }
}
