/** A map or a set. Both list their keys in the order of insertion. */
interface Collection<Key> {
  readonly size: number;
  keys(): Iterable<Key>;
  delete(key: Key): boolean;
}

/**
 * Drops the oldest entry if there are more than `most`, and returns its key. Call it after each insertion. An entry that is
 * inserted again keeps its old place, unless it is deleted first.
 */
export function dropOldest<Key>(kept: Collection<Key>, most: number): Key | undefined {
  if (kept.size <= most) return undefined;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  return oldest;
}
