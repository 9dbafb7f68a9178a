import { dropOldest } from '../src/contract/values/drop-oldest';
import { fold, standingClaim, type ClaimFact, type KnownClaim } from '../src/protocol/ledger/fold';

/** The parts of an entry that are needed to add later entries of the same key. */
export interface KnownEntry extends ClaimFact {
  readonly id: string;
  readonly hash: Buffer;
}

/** The state of a key that results from its entries. Contains no personal data and no encryption keys. */
export interface KnownKey {
  readonly claims: readonly KnownClaim[];
  /** The number of entries. */
  readonly count: number;
  /** The hash of the last entry, or an empty buffer if there are no entries. */
  readonly hash: Buffer;
  /** The ids of all recorded facts, in the form that `idIn` returns. */
  readonly ids: ReadonlySet<string>;
}

export const NEW_KEY: KnownKey = { claims: [], count: 0, hash: Buffer.alloc(0), ids: new Set() };

/** Returns an id of a fact that is unique within its key. */
export const idIn = (claim: number, id: string): string => `${claim} ${id}`;

/** Returns the state of a key after these entries. The entries come oldest first, and have no personal data. */
export function withEntries(known: KnownKey, entries: readonly KnownEntry[]): KnownKey {
  return {
    claims: entries.reduce<readonly KnownClaim[]>(fold, known.claims),
    count: known.count + entries.length,
    hash: entries.at(-1)?.hash ?? known.hash,
    ids: new Set([...known.ids, ...entries.map(({ claim, id }) => idIn(claim, id))]),
  };
}

/** The maximum number of keys to remember. The keys that were read or written last are kept. */
const MOST_KEYS = 1_000;
/** The maximum number of entries of a remembered key. A key with more entries is read from the database each time. */
const MOST_ENTRIES = 30;

/**
 * A memory of the keys whose sessions have not ended, as this process last read or wrote them. It saves a read before each addition. Other
 * processes may have added entries since. That does no harm, because the database refuses an addition that is based on an old state.
 */
export class RememberedKeys {
  readonly #keys = new Map<string, KnownKey>();

  get(key: string): KnownKey | undefined {
    return this.#keys.get(key);
  }

  /** Remembers a key. If the key has too many entries or its session has ended, forgets the key instead. */
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
