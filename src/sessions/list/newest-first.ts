/** An entry of a list, with a start time. */
export interface Started {
  readonly startedAt: Date;
  /** The key of the entry. It decides the order of entries that started at the same time. */
  readonly key: string;
}

/** A range of start times, in milliseconds since the epoch. Each bound may be absent. */
export interface StartRange {
  /** The lower bound, inclusive. */
  readonly fromMs?: number | undefined;
  /** The upper bound, exclusive. */
  readonly beforeMs?: number | undefined;
}

/** Some entries that started within a range, in any order. `complete` is true if they are all entries of the range. */
export interface Part<T> {
  readonly found: readonly T[];
  readonly complete: boolean;
}

/** Reads the entries that started within a range. May stop once it has found `limit` entries. */
export type ReadPart<T> = (range: StartRange, limit: number) => Promise<Part<T>>;

/** Limits the reading of an index. */
export interface Extent {
  /** Only entries that started before this time, in milliseconds since the epoch. @default all entries */
  readonly beforeMs?: number | undefined;
  /** The number of entries to read and sort at once. A caller that needs only a few sets a lower number. @default 1000 */
  readonly sortedAtOnce?: number;
}

const MAX_SORTED = 1_000;
/**
 * If a part has fewer entries than this share of `sortedAtOnce`, the function tries to read all the rest at once. If the rest is too
 * large, it chooses a new span.
 */
const FEW = 1 / 4;
const FIRST_SPAN_MS = 60 * 60_000;
/** The time by which the Temporal server's clock may be ahead of this machine's clock. */
const AHEAD_MS = 60_000;

/**
 * Yields all entries that `read` finds, newest first. Some Temporal servers cannot sort, so this function reads one span of time
 * after the other, from the newest to the oldest. Each span is small enough to be sorted here.
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
 * Returns a span of time, in milliseconds, that probably has few enough entries to be sorted at once. The span reaches back from
 * `topMs` to the middle of the found entries, because most indexes return the newest entries first. If no entry was found, returns
 * twice the last span.
 */
function spanOf(found: readonly Started[], topMs: number, lastMs: number): number {
  const middle = found.map(({ startedAt }) => startedAt.getTime()).sort((a, b) => b - a)[found.length >> 1];
  return middle === undefined ? lastMs * 2 : Math.max(1, topMs - middle);
}

/**
 * Compares entries by their start, newest first. Entries that started at the same time are ordered by their keys, so that the order
 * is always the same.
 */
export function byNewest(a: Started, b: Started): number {
  return b.startedAt.getTime() - a.startedAt.getTime() || (a.key < b.key ? -1 : 1);
}

const sorted = <T extends Started>(found: readonly T[]): T[] => [...found].sort(byNewest);
