import type { CallKind } from './pace';

/**
 * The kinds of call that share connections. Sessions whose last call hung have bulkheads of their own: however many hang, they
 * hold few connections. A create that takes long is slow, and makes room for another; once one that was sent after it is answered, it
 * hangs, and counts no more, up to the spare connections.
 */
export type Bulkhead = 'cancel' | 'create' | 'slowCreate' | 'hungCreate' | 'poll' | 'hungCancel' | 'hungPoll';

export function bulkheadOf(kind: CallKind, isHung: boolean): Bulkhead {
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
/** At first this many calls of a bulkhead go at once; each answer while others wait makes room for a third of a call. */
const FIRST_WINDOW = 4;
const GROWTH = 1 / 3;
const WINDOW_AFTER_PAUSE = 1;

/** How many calls of each bulkhead are under way, and whether one more may go. */
export class Bulkheads {
  readonly #running: Record<Bulkhead, number> = {
    cancel: 0,
    create: 0,
    slowCreate: 0,
    hungCreate: 0,
    poll: 0,
    hungCancel: 0,
    hungPoll: 0,
  };
  /** Slow start: nobody knows yet how many calls at once the service takes. */
  readonly #windows = { create: FIRST_WINDOW, poll: FIRST_WINDOW };
  readonly #connections: number;
  readonly #spareConnections: number;

  constructor(connections: number, spareConnections = 0) {
    this.#connections = connections;
    this.#spareConnections = spareConnections;
  }

  /** Whether creates are under way that take long. */
  get createsHang(): boolean {
    return this.#running.slowCreate + this.#running.hungCreate > 0;
  }

  hasRoom(bulkhead: Bulkhead): boolean {
    const { cancel, create, slowCreate, hungCreate, poll, hungCancel, hungPoll } = this.#running;
    const all = cancel + create + slowCreate + poll + hungCancel + hungPoll;
    if (bulkhead === 'hungCreate') return hungCreate < this.#spareConnections;
    if (bulkhead === 'slowCreate') return true;
    if (all >= this.#connections) return false;
    switch (bulkhead) {
      case 'cancel':
        return true;
      case 'hungCancel':
        return hungCancel < this.#part('hungCancel');
      case 'create':
        return (
          all < this.#part('allButCancels') &&
          create + slowCreate < this.#part('creates') &&
          create < Math.floor(this.#windows.create)
        );
      case 'poll':
        return this.#pollsHaveRoom(all) && poll < Math.floor(this.#windows.poll);
      case 'hungPoll':
        return this.#pollsHaveRoom(all) && hungPoll < this.#part('hungPoll');
    }
  }

  start(bulkhead: Bulkhead): void {
    this.#running[bulkhead] += 1;
  }

  end(bulkhead: Bulkhead): void {
    this.#running[bulkhead] -= 1;
  }

  /** A create that is under way takes long: it goes on in another bulkhead, if that has room. Returns whether it does. */
  moveCreate(from: Bulkhead, to: 'slowCreate' | 'hungCreate'): boolean {
    if (from === to || !this.hasRoom(to)) return false;
    this.end(from);
    this.start(to);
    // Those that hang say nothing about how many calls the service takes.
    if (to === 'hungCreate') this.#windows.create = Math.min(this.#windows.create + 1, this.#connections);
    return true;
  }

  /** A call of this bulkhead was answered. If the bulkhead was full, it becomes wider. */
  answered(bulkhead: Bulkhead): void {
    if (bulkhead !== 'create' && bulkhead !== 'poll') return;
    if (this.#running[bulkhead] + 1 < Math.floor(this.#windows[bulkhead])) return;
    this.#windows[bulkhead] = Math.min(this.#windows[bulkhead] + GROWTH, this.#connections);
  }

  /** A poll gives up its connection: polls that hang say nothing about how many calls the service takes. */
  gaveUp(): void {
    this.#windows.poll = Math.min(this.#windows.poll + 1, this.#connections);
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
    return Math.max(1, Math.floor(this.#connections * MOST[of]));
  }
}
