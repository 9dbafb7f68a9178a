import type { DroppedRun, Upheavals } from './key-evidence';

/** The longest lag of the list of closed workflows, which a sweep uses, in milliseconds. */
const LISTED_WITHIN_MS = 5_000;

/** An event after which a side knows of a create, or no longer does. */
interface Change {
  readonly atMs: number;
  readonly side: 'ledger' | 'temporal';
  /**
   * Returns the side's knowledge from then on, from the knowledge of both sides at that time, and of a side at
   * another time.
   */
  readonly knows: (now: Sides, then: (atMs: number) => Sides) => boolean;
}

interface Sides {
  readonly ledger: boolean;
  readonly temporal: boolean;
}

/** A create of a key, and the events that affect what is known of it. */
export interface KnownCreate extends Upheavals {
  readonly key: string;
  readonly atMs: number;
  readonly drops: readonly DroppedRun[];
}

/**
 * Returns when neither the ledger nor Temporal knew of a create any more: `Infinity` if one of them always did. Both
 * know of it as it is sent. A side forgets if it is restored to an earlier moment, and Temporal if it drops the
 * workflow. A sweep copies to the ledger what Temporal knows of a closed workflow.
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
    // For a workflow that Temporal never drops, it makes no difference.
    ...sweeps.filter(isSwept).map(({ beganAtMs, doneAtMs }): Change => ({
      atMs: doneAtMs,
      side: 'ledger',
      knows: (now, then) => now.ledger || (now.temporal && then(beganAtMs).temporal),
    })),
    ...dropped.map((run): Change => ({ atMs: run.atMs, side: 'temporal', knows: () => false })),
  ];
  return changes.filter((change) => change.atMs > atMs);
}
