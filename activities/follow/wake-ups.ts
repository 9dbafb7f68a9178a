/** A wait may end so much sooner or later, as a share of it, to end together with others. */
const SHARE = 1 / 8;
/** So many at once: a payment service sees the polls spread evenly. */
const MOST_AT_ONCE = 8;

interface WakeUp {
  readonly atMs: number;
  readonly calls: Set<() => void>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Ends waits together that are due close to each other: to wake an idle process costs more than a poll does. Few end at once.
 */
export class WakeUps {
  /** In the order of their times. */
  readonly #wakeUps: WakeUp[] = [];

  /** Calls back after about this time, in milliseconds, or after exactly this. Gives how to call it off. */
  after(waitMs: number, call: () => void, { isExact }: { readonly isExact: boolean }): () => void {
    const wakeUp = (isExact ? undefined : this.#near(waitMs)) ?? this.#add(waitMs);
    wakeUp.calls.add(call);
    return () => {
      wakeUp.calls.delete(call);
      if (wakeUp.calls.size === 0) this.#remove(wakeUp);
    };
  }

  /** The one that is nearest and has room. */
  #near(waitMs: number): WakeUp | undefined {
    const atMs = performance.now() + waitMs;
    const marginMs = waitMs * SHARE;
    const next = this.#indexOf(atMs);
    const [before, after] = [this.#wakeUps[next - 1], this.#wakeUps[next]];
    const distance = (one: WakeUp): number => Math.abs(one.atMs - atMs);
    return [before, after]
      .filter((one) => one !== undefined)
      .filter((one) => distance(one) <= marginMs && one.calls.size < MOST_AT_ONCE)
      .sort((one, other) => distance(one) - distance(other))[0];
  }

  #add(waitMs: number): WakeUp {
    const timer = setTimeout(() => {
      this.#remove(wakeUp);
      for (const call of wakeUp.calls) call();
    }, waitMs);
    const wakeUp: WakeUp = { atMs: performance.now() + waitMs, calls: new Set(), timer };
    this.#wakeUps.splice(this.#indexOf(wakeUp.atMs), 0, wakeUp);
    return wakeUp;
  }

  #remove(wakeUp: WakeUp): void {
    clearTimeout(wakeUp.timer);
    const index = this.#wakeUps.indexOf(wakeUp, this.#indexOf(wakeUp.atMs));
    if (index >= 0) this.#wakeUps.splice(index, 1);
  }

  /** The index of the first that is no earlier. */
  #indexOf(atMs: number): number {
    let [from, to] = [0, this.#wakeUps.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#wakeUps[middle]?.atMs ?? Infinity) < atMs) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
