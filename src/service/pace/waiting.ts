import type { CallKind } from './pace';

/** A call that waits in a line. */
interface InLine {
  readonly cameAtMs: number;
  /** The arrival number, which orders calls that came at the same time. */
  readonly number: number;
}

/** Compares calls by their arrival. */
export const inOrder = (one: InLine, other: InLine): number =>
  one.cameAtMs - other.cameAtMs || one.number - other.number;

/** A list of calls in the order of their arrival. Uses binary search, so that adding and removing calls is fast in a long line. */
export class Line<T extends InLine> {
  readonly #calls: T[] = [];

  get all(): readonly T[] {
    return this.#calls;
  }

  get length(): number {
    return this.#calls.length;
  }

  get first(): T | undefined {
    return this.#calls[0];
  }

  get last(): T | undefined {
    return this.#calls.at(-1);
  }

  add(call: T): void {
    this.#calls.splice(this.#indexOf(call), 0, call);
  }

  has(call: T): boolean {
    return this.#calls[this.#indexOf(call)] === call;
  }

  /** Removes a call. Returns true if it was waiting. */
  delete(call: T): boolean {
    if (!this.has(call)) return false;
    this.#calls.splice(this.#indexOf(call), 1);
    return true;
  }

  /** Returns the index of the first call that did not come before `call`. */
  #indexOf(call: T): number {
    let [from, to] = [0, this.#calls.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#calls[middle];
      if (other !== undefined && inOrder(other, call) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

interface WaitingRoomOptions {
  /** Polls and refreshes get a place only if fewer places than this are taken. */
  readonly polls: number;
  /** Create requests get a place only if fewer places than this are taken. */
  readonly all: number;
}

/**
 * Limits the number of a worker's activities that wait for their turn. A waiting activity occupies an activity slot, and other activities
 * need free slots.
 */
export class WaitingRoom {
  #held = 0;
  readonly #places: WaitingRoomOptions;

  constructor(places: WaitingRoomOptions = { polls: Infinity, all: Infinity }) {
    this.#places = places;
  }

  /**
   * Takes a place, which must be released later with `leave`. Returns false if there is no free place for this kind of call. Cancels
   * always get a place.
   */
  enter(kind: CallKind): boolean {
    const { polls, all } = this.#places;
    const limit = kind === 'cancel' ? Infinity : kind === 'create' ? all : polls;
    if (this.#held >= limit) return false;
    this.#held += 1;
    return true;
  }

  /** Releases a place that `enter` took. */
  leave(): void {
    this.#held -= 1;
  }
}
