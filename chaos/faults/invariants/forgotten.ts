import type { DroppedRun, Upheavals } from './key-evidence';

/** The longest lag of the list of closed workflows, in milliseconds. A sweep uses that list. */
const LISTED_WITHIN_MS = 5_000;

/** An event that may change whether a side (the ledger or Temporal) knows of a create. */
interface Change {
  readonly atMs: number;
  readonly side: 'ledger' | 'temporal';
  /**
   * True if the side knows of the create after the event. `now` is the knowledge of both sides just before the event, and
   * `then` returns their knowledge at an earlier time.
   */
  readonly knows: (now: Sides, then: (atMs: number) => Sides) => boolean;
}

interface Sides {
  readonly ledger: boolean;
  readonly temporal: boolean;
}

/** A create of a key, and the events that decide which side knows of it. */
export interface KnownCreate extends Upheavals {
  readonly key: string;
  readonly atMs: number;
  readonly drops: readonly DroppedRun[];
}

/**
 * Returns the time at which both the ledger and Temporal had forgotten a create, or `Infinity` if one of them always knew
 * of it. Both know of a create when it is sent. A side forgets it when the side is restored to an earlier moment. Temporal
 * also forgets it when it drops the workflow. A sweep copies Temporal's knowledge of a closed workflow to the ledger.
 */
export function forgottenAtMs(create: KnownCreate): number {
  const history: (Sides & { readonly atMs: number })[] = [
    { atMs: create.atMs, ledger: true, temporal: true },
  ];
  const at = (atMs: number): Sides =>
    history.findLast((one) => one.atMs <= atMs) ?? { ledger: false, temporal: false };
  for (const { atMs, side, knows } of changesOf(create).toSorted((one, other) => one.atMs - other.atMs)) {
    const now = at(Infinity);
    const next = { ...now, [side]: knows(now, at) };
    if (!next.ledger && !next.temporal) return atMs;
    history.push({ ...next, atMs });
  }
  return Infinity;
}

function changesOf({ key, atMs, drops, restores, sweeps }: KnownCreate): readonly Change[] {
  const dropped = drops.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs);
  const isSwept = ({ beganAtMs, left }: Upheavals['sweeps'][number]) =>
    dropped.some(({ toMs }) => toMs + LISTED_WITHIN_MS <= beganAtMs) && !left.has(key);
  const changes: Change[] = [
    ...restores.map(({ server, copiedAtMs, atMs: restoredAtMs }): Change => ({
      atMs: restoredAtMs,
      side: server,
      knows: (_now, then) => then(copiedAtMs)[server],
    })),
    // A sweep makes a difference only for a workflow that Temporal drops.
    ...sweeps.filter(isSwept).map(({ beganAtMs, doneAtMs }): Change => ({
      atMs: doneAtMs,
      side: 'ledger',
      knows: (now, then) => now.ledger || (now.temporal && then(beganAtMs).temporal),
    })),
    ...dropped.map((run): Change => ({ atMs: run.atMs, side: 'temporal', knows: () => false })),
  ];
  return changes.filter((change) => change.atMs > atMs);
}
