import { dropOldest } from '../../src/contract/values/drop-oldest';
import type { LedgerFact } from '../../src/protocol/ledger/facts';

/** What is kept of an entry: nothing personal, and nothing that could open it. */
export interface KnownEntry {
  readonly id: string;
  /** Without its personal part. */
  readonly fact: LedgerFact;
  readonly hash: Buffer;
}

export const factsOf = (entries: readonly KnownEntry[]): readonly LedgerFact[] =>
  entries.map(({ fact }) => fact);

/** Those that were added to last. */
const MOST_SESSIONS = 1_000;
/** A session with more is read each time. */
const MOST_ENTRIES = 30;

/**
 * The entries of sessions under way, as this process has written them last. Others may have added to them since: they are good for adding
 * what comes next, which proves them, and for no answer.
 */
export class SessionsInHand {
  readonly #sessions = new Map<string, readonly KnownEntry[]>();

  get(key: string): readonly KnownEntry[] | undefined {
    return this.#sessions.get(key);
  }

  /** A session that has ended is told hardly anything more: it makes room. */
  put(key: string, entries: readonly KnownEntry[]): void {
    this.drop(key);
    if (entries.length > MOST_ENTRIES || entries.at(-1)?.fact.kind === 'ended') return;
    // Those that were read have more, such as the encrypted part.
    const kept = entries.map(({ id, fact, hash }) => ({ id, fact, hash }));
    this.#sessions.set(key, kept);
    dropOldest(this.#sessions, MOST_SESSIONS);
  }

  drop(key: string): void {
    this.#sessions.delete(key);
  }
}
