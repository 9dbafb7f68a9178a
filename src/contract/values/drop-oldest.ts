/** A map or a set, which both know their keys in the order in which they were put in. */
interface Collection<Key> {
  readonly size: number;
  keys(): Iterable<Key>;
  delete(key: Key): boolean;
}

/**
 * Bounds what is kept: call it after each key that is put in. Drops the one that was put in first, where there are more than
 * `most`, and gives it. One that is put in again keeps its old place, unless it is deleted first.
 */
export function dropOldest<Key>(kept: Collection<Key>, most: number): Key | undefined {
  if (kept.size <= most) return undefined;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  return oldest;
}
