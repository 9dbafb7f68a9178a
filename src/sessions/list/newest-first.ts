/** Something that started at a time. */
export interface Started {
  readonly startedAt: Date;
}

/** Epoch milliseconds; each bound may be left out. */
export interface StartRange {
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly beforeMs?: number | undefined;
}

/** What started within a range, in any order, and whether that is all of it. */
export interface Part<T> {
  readonly found: readonly T[];
  readonly complete: boolean;
}

/** Reads what started within a range; gives up above `limit`. */
export type ReadPart<T> = (range: StartRange, limit: number) => Promise<Part<T>>;

/** How many are sorted at once. */
const MAX_SORTED = 1_000;
/** Fewer than this in a part: the next one reaches further back. */
const FEW = 250;
const FIRST_SPAN_MS = 60 * 60_000;
/** The engine's clock may be ahead. */
const AHEAD_MS = 60_000;

/**
 * Everything that `read` finds, newest first. The engine's index cannot sort, so this reads parts that are small enough to
 * be sorted, from now back in time.
 */
export async function* newestFirst<T extends Started>(read: ReadPart<T>): AsyncIterable<T> {
  let beforeMs: number | undefined;
  let topMs = Date.now() + AHEAD_MS;
  let spanMs = FIRST_SPAN_MS;
  for (let isSparse = true; ;) {
    if (isSparse) {
      const rest = await read({ beforeMs }, MAX_SORTED);
      if (rest.complete) {
        yield* sorted(rest.found);
        return;
      }
      spanMs = Math.max(spanMs * 2, topMs - newestOf(rest.found) + 1);
    }
    const fromMs = topMs - spanMs;
    const part = await read({ fromMs, beforeMs }, spanMs > 1 ? MAX_SORTED : Infinity);
    if (part.complete) {
      yield* sorted(part.found);
      isSparse = part.found.length < FEW;
      topMs = beforeMs = fromMs;
    } else {
      isSparse = false;
      spanMs = Math.max(1, Math.floor(spanMs / 4));
    }
  }
}

const newestOf = (found: readonly Started[]): number =>
  found.reduce((newest, { startedAt }) => Math.max(newest, startedAt.getTime()), 0);

const sorted = <T extends Started>(found: readonly T[]): T[] =>
  [...found].sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime());
