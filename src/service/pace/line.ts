/** A place in a line, which its holder may give up at any time. */
export interface Place<T> {
  readonly holder: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/** A line in which whoever comes first is first. However long it is, joining and leaving it take the same time. */
export class Line<T> {
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
