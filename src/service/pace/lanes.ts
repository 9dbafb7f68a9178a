import type { CallKind } from './pace';

/**
 * The kinds of call that share connections. Sessions whose last call hung have lanes of their own: however many hang, they
 * hold few connections.
 */
export type Lane = 'cancel' | 'create' | 'poll' | 'hungCancel' | 'hungPoll';

export function laneOf(kind: CallKind, isHung: boolean): Lane {
  switch (kind) {
    case 'create':
      return 'create';
    case 'cancel':
      return isHung ? 'hungCancel' : 'cancel';
    case 'refresh':
    case 'poll':
      return isHung ? 'hungPoll' : 'poll';
  }
}

/** The share of all connections that calls may hold at most; the rest is reserved for calls with a larger share. */
const MOST = { hungPoll: 1 / 8, hungCancel: 1 / 4, polls: 1 / 2, creates: 3 / 4, allButCancels: 7 / 8 };
/** At first this many calls of a lane go at once; each answer while others wait makes room for a third of a call. */
const FIRST_WINDOW = 4;
const GROWTH = 1 / 3;
const WINDOW_AFTER_PAUSE = 1;

/** How many calls of each lane are under way, and whether one more may go. */
export class Lanes {
  readonly #running: Record<Lane, number> = { cancel: 0, create: 0, poll: 0, hungCancel: 0, hungPoll: 0 };
  /** Slow start: nobody knows yet how many calls at once the service takes. */
  readonly #windows = { create: FIRST_WINDOW, poll: FIRST_WINDOW };

  constructor(private readonly connections: number) {}

  hasRoom(lane: Lane): boolean {
    const { cancel, create, poll, hungCancel, hungPoll } = this.#running;
    const all = cancel + create + poll + hungCancel + hungPoll;
    if (all >= this.connections) return false;
    switch (lane) {
      case 'cancel':
        return true;
      case 'hungCancel':
        return hungCancel < this.#part('hungCancel');
      case 'create':
        return (
          all < this.#part('allButCancels') &&
          create < Math.min(this.#part('creates'), Math.floor(this.#windows.create))
        );
      case 'poll':
        return this.#pollsHaveRoom(all) && poll < Math.floor(this.#windows.poll);
      case 'hungPoll':
        return this.#pollsHaveRoom(all) && hungPoll < this.#part('hungPoll');
    }
  }

  start(lane: Lane): void {
    this.#running[lane] += 1;
  }

  end(lane: Lane): void {
    this.#running[lane] -= 1;
  }

  /** A call of this lane was answered. If the lane was full, it becomes wider. */
  answered(lane: Lane): void {
    if (lane !== 'create' && lane !== 'poll') return;
    if (this.#running[lane] + 1 < Math.floor(this.#windows[lane])) return;
    this.#windows[lane] = Math.min(this.#windows[lane] + GROWTH, this.connections);
  }

  /** A poll gives up its connection: polls that hang say nothing about how many calls the service takes. */
  gaveUp(): void {
    this.#windows.poll = Math.min(this.#windows.poll + 1, this.connections);
  }

  /** After a pause for failures one call of the kind goes first. */
  narrow(): void {
    this.#windows.create = this.#windows.poll = WINDOW_AFTER_PAUSE;
  }

  #pollsHaveRoom(all: number): boolean {
    const polls = this.#running.poll + this.#running.hungPoll;
    return all < this.#part('allButCancels') && polls < this.#part('polls');
  }

  #part(of: keyof typeof MOST): number {
    return Math.max(1, Math.floor(this.connections * MOST[of]));
  }
}
