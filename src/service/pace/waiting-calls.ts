import type { Bulkhead } from './bulkheads';
import type { CallKind } from './pace';

/** What a call that waits tells of itself. */
export interface LinedUp {
  readonly kind: CallKind;
  /** Since when it waits: one that comes back keeps its place. */
  readonly cameAtMs: number;
  /** Its bulkhead, which may become another while it waits. */
  readonly bulkhead: () => Bulkhead;
}

/** Where a call waits. */
interface Standing<T> {
  /** Of those that came at the same time, the first has the smallest. */
  readonly number: number;
  readonly bulkhead: Bulkhead;
  readonly place: Place<T>;
}

type Lines<T> = Map<Bulkhead, Line<T>>;

/**
 * The calls that wait, by kind and bulkhead, each first come, first served. However many wait, finding the next one takes the
 * same time.
 */
export class WaitingCalls<T extends LinedUp> {
  readonly #lines: Readonly<Record<CallKind, Lines<T>>> = {
    cancel: new Map(),
    create: new Map(),
    refresh: new Map(),
    poll: new Map(),
  };
  readonly #standings = new Map<T, Standing<T>>();
  #next = 0;

  has(call: T): boolean {
    return this.#standings.has(call);
  }

  add(call: T): void {
    this.#lineUp(call, this.#next);
    this.#next += 1;
  }

  /** Returns whether it was waiting. */
  delete(call: T): boolean {
    const standing = this.#standings.get(call);
    if (standing === undefined) return false;
    this.#standings.delete(call);
    this.#lines[call.kind].get(standing.bulkhead)?.leave(standing.place);
    return true;
  }

  /** How many calls of a kind wait, in one bulkhead or in all. */
  count(kind: CallKind, bulkhead?: Bulkhead): number {
    const lines = this.#lines[kind];
    if (bulkhead !== undefined) return lines.get(bulkhead)?.length ?? 0;
    let count = 0;
    for (const line of lines.values()) count += line.length;
    return count;
  }

  /** The call of this kind that came first, of those whose bulkhead has room. */
  first(kind: CallKind, hasRoom: (bulkhead: Bulkhead) => boolean): T | undefined {
    this.#followBulkheads(kind);
    let first: T | undefined;
    for (const [bulkhead, line] of this.#lines[kind]) {
      if (line.first === undefined || !hasRoom(bulkhead)) continue;
      if (first === undefined || this.#isBefore(line.first, first)) first = line.first;
    }
    return first;
  }

  /** The call of this kind that came last, of those whose bulkhead has room. */
  last(kind: CallKind, hasRoom: (bulkhead: Bulkhead) => boolean): T | undefined {
    this.#followBulkheads(kind);
    let last: T | undefined;
    for (const [bulkhead, line] of this.#lines[kind]) {
      if (line.last === undefined || !hasRoom(bulkhead)) continue;
      if (last === undefined || this.#isBefore(last, line.last)) last = line.last;
    }
    return last;
  }

  /** All calls of a kind, each of which may be deleted as it is passed. */
  *all(kind: CallKind): Generator<T> {
    for (const line of this.#lines[kind].values()) yield* line;
  }

  /** A call whose session has hung, or has answered, since it came takes its place in the other bulkhead. */
  #followBulkheads(kind: CallKind): void {
    for (const [bulkhead, line] of this.#lines[kind]) {
      while (line.first !== undefined && line.first.bulkhead() !== bulkhead) {
        const call = line.first;
        const number = this.#standings.get(call)?.number ?? this.#next;
        this.delete(call);
        this.#lineUp(call, number);
      }
    }
  }

  #lineUp(call: T, number: number): void {
    const bulkhead = call.bulkhead();
    const lines = this.#lines[call.kind];
    const line = lines.get(bulkhead) ?? new Line<T>();
    lines.set(bulkhead, line);
    const place = line.join(call, (other) => this.#isBefore(other, call, number));
    this.#standings.set(call, { number, bulkhead, place });
  }

  #isBefore(one: T, other: T, numberOfOther = this.#standings.get(other)?.number ?? Infinity): boolean {
    if (one.cameAtMs !== other.cameAtMs) return one.cameAtMs < other.cameAtMs;
    return (this.#standings.get(one)?.number ?? Infinity) < numberOfOther;
  }
}

/** A place in a line, which its holder may give up at any time. */
interface Place<T> {
  readonly holder: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/** A line in which whoever comes first is first. However long it is, joining and leaving it take the same time. */
class Line<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #length = 0;

  get first(): T | undefined {
    return this.#first?.holder;
  }

  get last(): T | undefined {
    return this.#last?.holder;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes the place behind all others for which `isBefore` holds; without it, the last. */
  join(holder: T, isBefore: (other: T) => boolean = () => true): Place<T> {
    let before = this.#last;
    while (before !== undefined && !isBefore(before.holder)) before = before.before;
    const place: Place<T> = { holder, before, after: before === undefined ? this.#first : before.after };
    this.#link(place.before, place);
    this.#link(place, place.after);
    this.#length += 1;
    return place;
  }

  /** Gives up a place, which must be in this line. */
  leave({ before, after }: Place<T>): void {
    this.#link(before, after);
    this.#length -= 1;
  }

  /** All, in their order; each may leave as it is passed. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place !== undefined; place = place.after) yield place.holder;
  }

  #link(before: Place<T> | undefined, after: Place<T> | undefined): void {
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }
}
