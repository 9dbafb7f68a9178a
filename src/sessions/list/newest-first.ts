/** An entry with a start time. */
export interface Started {
  readonly startedAt: Date;
  /** Orders entries that started at the same time. */
  readonly key: string;
}

/** A range of start times, in milliseconds since the epoch; each bound may be absent. */
export interface StartRange {
  /** The lower bound, inclusive. */
  readonly fromMs?: number | undefined;
  /** The upper bound, exclusive. */
  readonly beforeMs?: number | undefined;
}

/** Entries that started within a range, in any order. `complete`: the range has no others. */
export interface Part<T> {
  readonly found: readonly T[];
  readonly complete: boolean;
}

/** Reads the entries that started within a range; may stop once it has found `limit` of them. */
export type ReadPart<T> = (range: StartRange, limit: number) => Promise<Part<T>>;

/** The part of an index to read. */
export interface Extent {
  /** Only entries that started before this, in milliseconds since the epoch. @default all */
  readonly beforeMs?: number | undefined;
  /** The number of entries to read and sort at once. A caller that needs only a few sets a lower number. @default 1000 */
  readonly sortedAtOnce?: number;
}

const MAX_SORTED = 1_000;
/**
 * After a part with fewer entries than this share of `sortedAtOnce`, all the rest is read if it is small. Otherwise a new span is chosen.
 */
const FEW = 1 / 4;
const FIRST_SPAN_MS = 60 * 60_000;
/** The Temporal server's clock may be ahead of this machine's. */
const AHEAD_MS = 60_000;

/**
 * Yields everything that `read` finds, newest first. Not every index of a Temporal server can sort, so this function reads parts that
 * are small enough to be sorted here, further and further back in time.
 */
export async function* newestFirst<T extends Started>(
  read: ReadPart<T>,
  { beforeMs, sortedAtOnce = MAX_SORTED }: Extent = {},
): AsyncIterable<T> {
  let topMs = beforeMs ?? Date.now() + AHEAD_MS;
  let spanMs = FIRST_SPAN_MS;
  for (let isSparse = true; ;) {
    if (isSparse) {
      const rest = await read({ beforeMs }, sortedAtOnce);
      if (rest.complete) {
        yield* sorted(rest.found);
        return;
      }
      spanMs = spanOf(rest.found, topMs, spanMs);
    }
    const fromMs = topMs - spanMs;
    const part = await read({ fromMs, beforeMs }, spanMs > 1 ? sortedAtOnce : Infinity);
    if (part.complete) {
      yield* sorted(part.found);
      isSparse = part.found.length < sortedAtOnce * FEW;
      topMs = beforeMs = fromMs;
    } else {
      isSparse = false;
      spanMs = Math.max(1, Math.min(Math.floor(spanMs / 4), spanOf(part.found, topMs, spanMs)));
    }
  }
}

/**
 * Returns a span, in milliseconds, that probably has no more entries than can be sorted: back from `topMs` to the middle one of the
 * found entries, or twice the last span if none was found. Indexes promise no order, but most return the newest entries first.
 */
function spanOf(found: readonly Started[], topMs: number, lastMs: number): number {
  const middle = found.map(({ startedAt }) => startedAt.getTime()).sort((a, b) => b - a)[found.length >> 1];
  return middle === undefined ? lastMs * 2 : Math.max(1, topMs - middle);
}

/**
 * Compares entries by their start, newest first. Entries that started at the same time are ordered by their keys, so that every
 * reader sorts them alike.
 */
export function byNewest(a: Started, b: Started): number {
  return b.startedAt.getTime() - a.startedAt.getTime() || (a.key < b.key ? -1 : 1);
}

const sorted = <T extends Started>(found: readonly T[]): T[] => [...found].sort(byNewest);
