import { dropOldest } from '../../src/contract/values/drop-oldest';

/** A value, and when it was read. */
export interface Seen<T> {
  readonly value: T;
  readonly at: Date;
}

export interface Freshness {
  /** The age up to which a value is returned without another read, in milliseconds. */
  readonly freshMs: number;
  /** The age, in milliseconds, up to which an old value is returned while a new value is being read. */
  readonly usableMs: number;
}

interface Entry<T> {
  seen?: Seen<T>;
  /** The time of the read, by a monotonic clock. */
  readAtMs?: number;
  reading?: Promise<Seen<T>>;
}

/** The maximum number of keys whose values are kept. */
const MAX_ENTRIES = 200;

/**
 * Shares values among readers. Each key has at most one read at a time, and its value is kept for later readers. Values are read only when
 * a reader asks.
 */
export class StaleWhileRevalidate<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #freshness: Freshness;

  constructor(freshness: Freshness) {
    this.#freshness = freshness;
  }

  /** Returns the value of a key. Rejects with the error of `read` if there is no usable value. */
  async get(key: string, read: () => Promise<T>): Promise<Seen<T>> {
    const entry = this.#entryOf(key);
    const ageMs = performance.now() - (entry.readAtMs ?? -Infinity);
    if (entry.seen !== undefined && ageMs < this.#freshness.freshMs) return entry.seen;
    const reading = (entry.reading ??= this.#read(entry, read).finally(() => {
      delete entry.reading;
    }));
    if (entry.seen === undefined || ageMs >= this.#freshness.usableMs) return reading;
    // A failed read is not reported, because the old value is still usable.
    reading.catch(() => undefined);
    return entry.seen;
  }

  async #read(entry: Entry<T>, read: () => Promise<T>): Promise<Seen<T>> {
    entry.seen = { value: await read(), at: new Date() };
    entry.readAtMs = performance.now();
    return entry.seen;
  }

  /** Returns the key's entry, and moves it to the end as the most recently used. */
  #entryOf(key: string): Entry<T> {
    const entry = this.#entries.get(key) ?? {};
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    dropOldest(this.#entries, MAX_ENTRIES);
    return entry;
  }
}
