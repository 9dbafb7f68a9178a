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

/** The entries that started within a range, in any order. `complete`: they are all of them. */
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
  /** The number of entries to sort at once: a caller that wants fewer of them reads less. @default 1000 */
  readonly sortedAtOnce?: number;
}

const MAX_SORTED = 1_000;
/** A part with less than this share of the most that can be sorted is small: the next part reaches further back. */
const FEW = 1 / 4;
const FIRST_SPAN_MS = 60 * 60_000;
/** The Temporal server's clock may be ahead. */
const AHEAD_MS = 60_000;

/**
 * Returns everything that `read` finds, newest first. The Temporal server's index cannot sort, so this reads parts that are small
 * enough to be sorted, further and further back in time.
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
 * Returns a span that is likely to hold no more entries than can be sorted. Indexes promise no order, but most return the newest
 * entries first: then half of a part is the newest half.
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
