import { dropOldest } from '../src/contract/values/drop-oldest';
import { fold, standingClaim, type ClaimFact, type KnownClaim } from '../src/protocol/ledger/known-claim';

/** What is kept of an entry that follows others of its key. */
export interface KnownEntry extends ClaimFact {
  readonly id: string;
  readonly hash: Buffer;
}

/** A key's entries, folded: nothing personal, and nothing that could open it. */
export interface KnownKey {
  readonly claims: readonly KnownClaim[];
  /** How many entries there are. */
  readonly count: number;
  /** The hash of the last one; empty if there is none. */
  readonly hash: Buffer;
  /** Identifies each fact with its claim. */
  readonly ids: ReadonlySet<string>;
}

export const NEW_KEY: KnownKey = { claims: [], count: 0, hash: Buffer.alloc(0), ids: new Set() };

/** Distinguishes a fact of a claim from all others of the key. */
export const idIn = (claim: number, id: string): string => `${claim} ${id}`;

/** Adds entries, the first first. The facts are without their personal parts. */
export function withEntries(known: KnownKey, entries: readonly KnownEntry[]): KnownKey {
  return {
    claims: entries.reduce<readonly KnownClaim[]>(fold, known.claims),
    count: known.count + entries.length,
    hash: entries.at(-1)?.hash ?? known.hash,
    ids: new Set([...known.ids, ...entries.map(({ claim, id }) => idIn(claim, id))]),
  };
}

/** Those that were added to last. */
const MOST_KEYS = 1_000;
/** A key with more entries is read each time. */
const MOST_ENTRIES = 30;

/**
 * The keys of sessions under way, as this process has written them last. Others may have added to them since: they are good for adding
 * what comes next, which proves them, and for no answer.
 */
export class KeysInHand {
  readonly #keys = new Map<string, KnownKey>();

  get(key: string): KnownKey | undefined {
    return this.#keys.get(key);
  }

  /** A session that has ended gets hardly anything more: it makes room. */
  put(key: string, known: KnownKey): void {
    this.drop(key);
    if (known.count > MOST_ENTRIES || standingClaim(known.claims)?.ended !== undefined) return;
    this.#keys.set(key, known);
    dropOldest(this.#keys, MOST_KEYS);
  }

  drop(key: string): void {
    this.#keys.delete(key);
  }
}
