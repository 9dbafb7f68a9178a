/** Something that started at a time. */
export interface Started {
  readonly startedAt: Date;
  /** Orders entries that started at the same time. */
  readonly key: string;
}

/** Epoch milliseconds; each bound may be left out. */
export interface StartRange {
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly beforeMs?: number | undefined;
}

/** The entries that started within a range, in any order. `complete`: they are all of them. */
export interface Part<T> {
  readonly found: readonly T[];
  readonly complete: boolean;
}

/** Reads what started within a range; gives up above `limit`. */
export type ReadPart<T> = (range: StartRange, limit: number) => Promise<Part<T>>;

/** The part of an index to read. */
export interface Extent {
  /** Only what started before this, in epoch milliseconds. @default everything */
  readonly beforeMs?: number | undefined;
  /** The number of entries to sort at once: a caller that wants fewer of them reads less. @default 1000 */
  readonly sortedAtOnce?: number;
}

const MAX_SORTED = 1_000;
/** A part with less than this share of what can be sorted: the next one reaches further back. */
const FEW = 1 / 4;
const FIRST_SPAN_MS = 60 * 60_000;
/** The Temporal server's clock may be ahead. */
const AHEAD_MS = 60_000;

/**
 * Returns everything that `read` finds, newest first. The Temporal server's index cannot sort, so this reads parts that are small
 * enough to be sorted, from now back in time.
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
 * A span that is likely to hold no more than can be sorted. What an index gives first is in no order that it promises, but most
 * give the newest first: then half of it is the newest half.
 */
function spanOf(found: readonly Started[], topMs: number, lastMs: number): number {
  const middle = found.map(({ startedAt }) => startedAt.getTime()).sort((a, b) => b - a)[found.length >> 1];
  return middle === undefined ? lastMs * 2 : Math.max(1, topMs - middle);
}

/** Those that started at the same time by their keys, so that everybody sorts them alike. */
export function byNewest(a: Started, b: Started): number {
  return b.startedAt.getTime() - a.startedAt.getTime() || (a.key < b.key ? -1 : 1);
}

const sorted = <T extends Started>(found: readonly T[]): T[] => [...found].sort(byNewest);
