/**
 * Lets a bounded number of calls use the connections at once; the others wait their turn in order. A call that is
 * stopped while it waits leaves at once: undici's own queue would keep it, and spend a connection on dropping it later.
 */
export class ConnectionSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves to true with a slot, which must be released, or to false when `stopped` settles first. */
  async take(stopped: Promise<unknown>): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    let admit = (): void => undefined;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    this.#waiting.add(admit);
    await Promise.race([admitted, stopped]);
    // A call still in the queue was stopped; one that is both stopped and admitted owns its slot.
    return !this.#waiting.delete(admit);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
