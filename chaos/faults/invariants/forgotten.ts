import type { DroppedRun, Upheavals } from './key-evidence';

/** The longest time, in milliseconds, until a closed workflow is in Temporal's list of closed workflows. A sweep reads this list. */
const LISTED_WITHIN_MS = 5_000;

/** An event after which a side (the ledger or Temporal) may know or have forgotten a create. */
interface Change {
  readonly atMs: number;
  readonly side: 'ledger' | 'temporal';
  /**
   * Returns true if the side knows of the create after the event. `now` is the knowledge of both sides just before the event. `then`
   * returns the knowledge of both sides at an earlier time.
   */
  readonly knows: (now: Sides, then: (atMs: number) => Sides) => boolean;
}

interface Sides {
  readonly ledger: boolean;
  readonly temporal: boolean;
}

/** A create request of a key, and the events that decide which side knows of it. */
export interface KnownCreate extends Upheavals {
  readonly key: string;
  readonly atMs: number;
  readonly drops: readonly DroppedRun[];
}

/**
 * Returns the time at which both the ledger and Temporal had forgotten a create request. Returns `Infinity` if at least one of them always
 * knew of it. When the request is sent, both know of it. If a side is restored to an earlier moment, it knows what it knew at that moment.
 * If Temporal drops the workflow, Temporal forgets the request. A sweep copies Temporal's knowledge of a closed workflow to the ledger.
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
    // Sweeps matter only for workflows that Temporal drops later.
    ...sweeps.filter(isSwept).map(({ beganAtMs, doneAtMs }): Change => ({
      atMs: doneAtMs,
      side: 'ledger',
      knows: (now, then) => now.ledger || (now.temporal && then(beganAtMs).temporal),
    })),
    ...dropped.map((run): Change => ({ atMs: run.atMs, side: 'temporal', knows: () => false })),
  ];
  return changes.filter((change) => change.atMs > atMs);
}
