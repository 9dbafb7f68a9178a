import { dropOldest } from '../src/contract/values/drop-oldest';
import { fold, standingClaim, type ClaimFact, type KnownClaim } from '../src/protocol/ledger/fold';

/** The part of an entry that later entries of its key depend on. */
export interface KnownEntry extends ClaimFact {
  readonly id: string;
  readonly hash: Buffer;
}

/** A key's entries, folded, without personal data and without keys that decrypt it. */
export interface KnownKey {
  readonly claims: readonly KnownClaim[];
  /** The number of entries. */
  readonly count: number;
  /** The hash of the last entry; empty if there is none. */
  readonly hash: Buffer;
  /** The ids of all facts, each with its claim (`idIn`). */
  readonly ids: ReadonlySet<string>;
}

export const NEW_KEY: KnownKey = { claims: [], count: 0, hash: Buffer.alloc(0), ids: new Set() };

/** Distinguishes a fact of a claim from all others of the key. */
export const idIn = (claim: number, id: string): string => `${claim} ${id}`;

/** Adds entries, oldest first. Their facts have no personal parts. */
export function withEntries(known: KnownKey, entries: readonly KnownEntry[]): KnownKey {
  return {
    claims: entries.reduce<readonly KnownClaim[]>(fold, known.claims),
    count: known.count + entries.length,
    hash: entries.at(-1)?.hash ?? known.hash,
    ids: new Set([...known.ids, ...entries.map(({ claim, id }) => idIn(claim, id))]),
  };
}

/** The maximum number of remembered keys: those that were read or written last. */
const MOST_KEYS = 1_000;
/** A key with more entries is not remembered, but read each time. */
const MOST_ENTRIES = 30;

/**
 * Remembers the keys of sessions under way, as this process last read or wrote them. Other processes may have added entries since. So a
 * remembered key is used only to add entries, and the database checks each addition.
 */
export class HeldKeys {
  readonly #keys = new Map<string, KnownKey>();

  get(key: string): KnownKey | undefined {
    return this.#keys.get(key);
  }

  /** Remembers a key. Forgets it instead if it has too many entries, or if its session has ended: hardly any entries follow an end. */
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
