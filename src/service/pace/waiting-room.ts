import type { CallKind } from './pace';

export interface WaitingRoomOptions {
  /** The places that polls may hold. */
  readonly polls: number;
  /** All places; those that polls may not hold are for creates. */
  readonly all: number;
}

/**
 * Bounds how many activities of a worker are held by calls that wait for their turn, so that the others find a free activity
 * slot.
 */
export class WaitingRoom {
  #held = 0;
  readonly #places: WaitingRoomOptions;

  constructor(places: WaitingRoomOptions = { polls: Infinity, all: Infinity }) {
    this.#places = places;
  }

  /** Takes a place, which must be left again; returns whether there was one. There always is one for cancels. */
  enter(kind: CallKind): boolean {
    const { polls, all } = this.#places;
    const limit = kind === 'cancel' ? Infinity : kind === 'create' ? all : polls;
    if (this.#held >= limit) return false;
    this.#held += 1;
    return true;
  }

  /** Gives back a place that `enter` gave. */
  leave(): void {
    this.#held -= 1;
  }
}
