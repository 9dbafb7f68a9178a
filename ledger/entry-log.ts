import { createHmac, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { decrypt, encrypt, type KeyRing } from '../src/encryption';
import { explain, PaysessionError, withRemedy } from '../src/errors';
import { sessionIdentity } from '../src/contract';
import type { LedgerEntry, LedgerFact } from '../src/protocol/ledger/facts';
import type { Metadata } from '../src/protocol/metadata';
import type { ClaimFact, KnownClaim } from '../src/protocol/ledger/fold';
import type { LedgerDatabase } from './postgres/database';
import { NOT_NULL_VIOLATION, UNIQUE_VIOLATION } from './postgres/failures';
import { hashOf } from './entry-hash';
import { summariesOf, type ClaimSummary } from './sessions/summary';
import { insertion, type NewEntry } from './insertion';
import { idIn, HeldKeys, NEW_KEY, withEntries, type KnownEntry, type KnownKey } from './held-keys';
import { newSessionKey, unwrap, type KeptKey, type KeyOwner } from './session-key';
import { fromStored, isListedOf, toStored, type ListedMetadata, type StoredFact } from './stored-fact';
import { isRecord } from '../src/contract/values/json';
import { systemCode } from '../src/files';

export interface EntryLogOptions {
  readonly database: LedgerDatabase;
  /** The environment that the sessions belong to. A key is unique in it. */
  readonly environment: string;
  /** Wraps the sessions' own keys. @default they are stored as they are */
  readonly ring?: KeyRing | undefined;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** The entries of one key as they were read. */
export interface SessionEntries {
  readonly key: string;
  readonly entries: readonly ReadEntry[];
  readonly sessionKey: KeptKey | undefined;
}

/** An entry whose personal part is still encrypted. */
export interface ReadEntry extends LedgerEntry, KnownEntry {
  readonly sealed: Buffer | null;
}

/** The facts to add to a key's entries, and the answer for the caller. */
export interface Decided<T> {
  readonly add: readonly ClaimFact[];
  readonly answer: T;
}

/** The maximum number of decisions of one call. A writer that loses a race decides again. */
const MOST_TRIES = 20;

/** Reads and appends the entries of single sessions. */
export class EntryLog {
  readonly #options: EntryLogOptions;
  readonly #held = new HeldKeys();

  constructor(options: EntryLogOptions) {
    this.#options = options;
  }

  /**
   * Reads a session's entries, oldest first, and verifies their hashes.
   *
   * @throws {@link PaysessionError} `LEDGER_TAMPERED` if an entry does not match its hash, or does not follow the previous one
   */
  async read(key: string): Promise<SessionEntries> {
    const { database, environment } = this.#options;
    const rows = await database.query<Row>(SELECT, [environment, key]);
    return { key, entries: chained({ environment, key }, rows), sessionKey: rows[0] };
  }

  /**
   * Decides from a key's claims which facts to add, and adds them in one step. Decides again if another writer was faster. The first
   * decision uses the remembered claims, if there are any. A stale memory is safe: the database refuses an addition that is based on it. If
   * a decision from memory adds nothing or throws, the key is read and the decision is made again.
   *
   * @throws {@link PaysessionError} `SESSION_FOLLOWED` if a claim of another key has a session that is to be added, and the errors of
   * `decide`, of `read`, of encryption and of the database
   */
  async append<T>(
    key: string,
    decide: (claims: readonly KnownClaim[]) => Decided<T>,
  ): Promise<{ readonly answer: T; readonly added: number }> {
    return this.#append(key, this.#held.get(key), ({ known }) =>
      Promise.resolve({ decided: decide(known.claims) }),
    );
  }

  /**
   * Does the same as `append` for a claim, which compares requests and so needs the session's own encryption key. Memory never holds that
   * key, so the entries are read first. With `isNew`, a key that is not remembered counts as new until the database refuses the addition.
   */
  async appendClaim<T>(
    key: string,
    decide: (claims: readonly KnownClaim[], keyed: Keyed) => Decided<T>,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<{ readonly answer: T; readonly added: number }> {
    const first = isNew && this.#held.get(key) === undefined ? NEW_KEY : undefined;
    return this.#append(key, first, async (before) => {
      const opened = await this.#open(key, before).catch((error: unknown) => ({ error }));
      return {
        decided: decide(before.known.claims, (digest) => {
          // A claim that compares no request needs no encryption key.
          if ('error' in opened) throw opened.error;
          return keyedWith(opened.secret, digest);
        }),
        ...(!('error' in opened) && { opened }),
      };
    });
  }

  async #append<T>(
    key: string,
    first: KnownKey | undefined,
    decide: (before: Before) => Promise<{ readonly decided: Decided<T>; readonly opened?: OpenedKey }>,
  ): Promise<{ readonly answer: T; readonly added: number }> {
    let held = first;
    for (let tries = 1; ; tries += 1) {
      const before = held === undefined ? await this.#readKnown(key) : { known: held };
      const { known } = before;
      let outcome: Awaited<ReturnType<typeof decide>>;
      try {
        outcome = await decide(before);
      } catch (error) {
        if (held === undefined) throw error;
        held = undefined;
        continue;
      }
      const { decided, opened } = outcome;
      const { add, answer } = decided;
      const isErased = known.claims.some((claim) => claim.isErased);
      const missing = add
        .map(({ claim, fact }) => ({ claim, ...toStored(fact, isErased) }))
        .filter(({ claim, id }) => !known.ids.has(idIn(claim, id)));
      if (held !== undefined && missing.length === 0) {
        held = undefined;
        continue;
      }
      if (missing.length === 0) {
        this.#held.put(key, known);
        return { answer, added: 0 };
      }
      try {
        this.#held.put(key, await this.#insert(key, { ...before, opened }, missing));
        return { answer, added: missing.length };
      } catch (error) {
        this.#held.drop(key);
        if (constraintOf(error) === ONE_CLAIM_A_SESSION) throw await this.#followed(missing);
        if (!isStale(error) || tries >= MOST_TRIES) throw error;
        held = undefined;
      }
    }
  }

  async #readKnown(key: string): Promise<Before> {
    const { entries, sessionKey } = await this.read(key);
    return { known: withEntries(NEW_KEY, entries), sessionKey };
  }

  /** Returns an entry's fact with its personal part, unless that has been erased. */
  async reveal({ key, sessionKey }: SessionEntries, entry: ReadEntry): Promise<LedgerFact> {
    const { environment, ring } = this.#options;
    const { sealed, fact } = entry;
    if (sealed === null || sessionKey === undefined) return fact;
    const owner = { environment, key };
    const secret = await unwrap(ring, sessionKey, owner);
    if (secret === undefined) return fact;
    const plain = decrypt({ secret, bytes: sealed, authenticated: boundTo(owner, entry) });
    if (plain === undefined) throw tampered();
    return { ...fact, ...(JSON.parse(Buffer.from(plain).toString()) as Partial<LedgerFact>) } as LedgerFact;
  }

  /** Returns a session's entries with their personal parts, unless those have been erased. */
  async revealAll(session: SessionEntries): Promise<readonly LedgerEntry[]> {
    return Promise.all(
      session.entries.map(async (entry) => {
        const { number, claim, recordedAt } = entry;
        return { number, claim, recordedAt, fact: await this.reveal(session, entry) };
      }),
    );
  }

  /** Adds facts to a key, with the summaries that they change. Returns what is known of the key afterwards. */
  async #insert(
    key: string,
    before: Before & { readonly opened?: OpenedKey | undefined },
    facts: readonly NewFact[],
  ): Promise<KnownKey> {
    const { database, environment, now } = this.#options;
    const { known } = before;
    const owner = { environment, key };
    // Facts without personal data need no encryption key: a lost one must not stop an erasure.
    const needsKey = known.count === 0 || facts.some(({ personal }) => personal !== undefined);
    const { secret, made } = before.opened ?? (needsKey ? await this.#open(key, before) : {});
    const recordedAt = new Date(now()).toISOString();
    let previous = made?.commitment ?? known.hash;
    const added = facts.map(({ personal, ...fact }, index): NewEntry => {
      const number = known.count + index + 1;
      const sealed =
        personal === undefined || secret === undefined ? null : seal(secret, personal, owner, fact);
      const entry = { ...owner, ...fact, number, recordedAt, sealed, previous };
      previous = hashOf(entry);
      return { ...entry, hash: previous };
    });
    const after = withEntries(
      known,
      added.map((entry, index) => ({ ...entry, fact: withListed(fromStored(entry), facts[index]?.listed) })),
    );
    const summaries = changedSummaries(known.claims, after.claims);
    const { sql, values } = insertion({ entries: added, summaries, ownKey: made });
    await database.query(sql, values);
    return after;
  }

  /** Returns the session's own key. Makes it if the session has no entries. */
  async #open(key: string, { known, sessionKey }: Before): Promise<OpenedKey> {
    const { environment, ring } = this.#options;
    const owner = { environment, key };
    if (known.count > 0) return { secret: await unwrap(ring, sessionKey ?? (await this.#keyOf(key)), owner) };
    const { secret, stored } = await newSessionKey(ring, owner);
    return { secret, made: stored };
  }

  /** Returns the error for adding a session that a claim of another key has. */
  async #followed(facts: readonly NewFact[]): Promise<PaysessionError> {
    const opened = facts.map(fromStored).find((fact) => fact.kind === 'opened');
    const key = opened && (await this.keyOf(opened.sessionId));
    const code = 'SESSION_FOLLOWED';
    return new PaysessionError(
      code,
      key === undefined ? explain(code) : `${explain(code)} The key is “${key}”.`,
    );
  }

  /** Returns the key whose claim has a session of the payment service; `undefined` if no claim has it. */
  async keyOf(sessionId: string): Promise<string | undefined> {
    const { database, environment } = this.#options;
    const [row] = await database.query<{ readonly key: string }>(
      'select key from paysession_ledger.claims where environment = $1 and session_id = $2',
      [environment, sessionIdentity(sessionId)],
    );
    return row?.key;
  }

  /**
   * Reads the session's own key. Memory never holds it, since it may have been erased. Throws `LEDGER_TAMPERED` if the first entry of a
   * remembered session is gone.
   */
  async #keyOf(key: string): Promise<KeptKey> {
    const { database, environment } = this.#options;
    const [row] = await database.query<KeptKey>(SELECT_KEY, [environment, key]);
    if (row === undefined) throw brokenChain(key, 1);
    return row;
  }
}

/** A key to which entries are added. */
interface Before {
  readonly known: KnownKey;
  /** Absent if it was not read, or if there are no entries. */
  readonly sessionKey?: KeptKey | undefined;
}

/** A session's own key. */
interface OpenedKey {
  /** Absent if it is erased. */
  readonly secret?: Uint8Array | undefined;
  /** The new key, to be stored with the first entries. */
  readonly made?: KeptKey | undefined;
}

/** Turns a request's digest into one that reveals nothing without the session's own key. */
export type Keyed = (digest: string) => string;

/** Returns a keyed digest. Once the key is erased, no request equals another. */
const keyedWith = (secret: Uint8Array | undefined, digest: string): string =>
  secret === undefined
    ? randomUUID()
    : createHmac('sha256', secret).update('paysession request 1').update(digest).digest('base64url');

type NewFact = StoredFact & Pick<LedgerEntry, 'claim'>;

/** An entry as it is stored. `commitment` is the commitment to the session's own key only in the first entry's row. */
interface Row extends KeptKey {
  readonly number: number;
  readonly claim: number;
  readonly id: string;
  readonly kind: StoredFact['kind'];
  readonly at: Date;
  readonly recorded_at: Date;
  readonly body: string;
  readonly sealed: Buffer | null;
  readonly previous: Buffer;
  readonly hash: Buffer;
  readonly metadata: Metadata | null;
  readonly metadata_salt: string | null;
}

const SELECT = `select number, claim, id, entries.kind, at, recorded_at, body, sealed, previous, hash, metadata, metadata_salt,
    wrapped, wrapped_with as "wrappedWith", previous as commitment
  from paysession_ledger.entries left join paysession_ledger.session_keys using (environment, key)
    left join paysession_ledger.claims using (environment, key, claim)
  where environment = $1 and key = $2 order by number`;

const SELECT_KEY = `select wrapped, wrapped_with as "wrappedWith", previous as commitment
  from paysession_ledger.entries left join paysession_ledger.session_keys using (environment, key)
  where environment = $1 and key = $2 and number = 1`;

/** Returns the entries of a session. Throws `LEDGER_TAMPERED` unless they form a chain from the first entry on. */
function chained(owner: KeyOwner, rows: readonly Row[]): readonly ReadEntry[] {
  let previous = rows[0]?.previous;
  return rows.map((row, index) => {
    const follows = row.number === index + 1 && previous?.equals(row.previous);
    const entry = follows === true && toEntry(owner, row);
    if (!entry) throw brokenChain(owner.key, index + 1);
    previous = row.hash;
    return entry;
  });
}

/** Returns an entry; `undefined` if its hash does not match its fields, or no writer could have written a field. */
function toEntry(owner: KeyOwner, row: Row): ReadEntry | undefined {
  const { number, claim, id, kind, body, sealed, hash } = row;
  try {
    const times = { at: row.at.toISOString(), recordedAt: row.recorded_at.toISOString() };
    if (!hashOf({ ...row, ...owner, ...times }).equals(hash)) return undefined;
    const fact = withListed(fromStored({ kind, at: times.at, body }), listedIn(row));
    return { number, claim, id, recordedAt: times.recordedAt, fact, sealed, hash };
  } catch {
    // `infinity` is not a date for the driver, and a changed body may not be JSON.
    return undefined;
  }
}

const listedIn = ({ metadata, metadata_salt: metadataSalt }: Row): ListedMetadata | undefined =>
  metadata === null || metadataSalt === null ? undefined : { metadata, metadataSalt };

/** Adds the searchable metadata to the fact of the claim that was made with them. A verification reports metadata that do not match. */
const withListed = (fact: LedgerFact, listed: ListedMetadata | undefined): LedgerFact =>
  fact.kind === 'claimed' && listed !== undefined && isListedOf(fact, listed) ? { ...fact, ...listed } : fact;

function brokenChain(key: string, number: number): PaysessionError {
  const code = 'LEDGER_TAMPERED';
  const happened = `Entry ${number} of the session with the key "${key}" was changed in the ledger, or does not follow the entry before it.`;
  return new PaysessionError(code, withRemedy(code, happened));
}

/** Binds ciphertext to its entry: it cannot be decrypted in another one. */
const boundTo = ({ environment, key }: KeyOwner, { claim, id }: Pick<NewFact, 'claim' | 'id'>): Buffer =>
  Buffer.from(JSON.stringify([environment, key, claim, id]));

const seal = (
  secret: Uint8Array,
  personal: string,
  owner: KeyOwner,
  fact: Pick<NewFact, 'claim' | 'id'>,
): Buffer =>
  Buffer.from(encrypt({ secret, bytes: Buffer.from(personal), authenticated: boundTo(owner, fact) }));

const ONE_CLAIM_A_SESSION = 'one_claim_a_session';

/** Returns the constraint that a statement would have broken. */
function constraintOf(error: unknown): unknown {
  const cause = error instanceof PaysessionError ? error.cause : undefined;
  return isRecord(cause) ? cause['constraint'] : undefined;
}

/**
 * True if another writer was faster, or the decision used entries that the key does not have, as after a restore. If entries were changed,
 * the read that follows throws `LEDGER_TAMPERED`.
 */
function isStale(error: unknown): boolean {
  if (!(error instanceof PaysessionError)) return false;
  if (error.code === 'LEDGER_TAMPERED') return true;
  const code = systemCode(error.cause);
  return code === UNIQUE_VIOLATION || code === NOT_NULL_VIOLATION;
}

/**
 * Returns the summaries that have changed, in the order in which they can be written: a claim gives up its place or its session before another
 * claim gets it.
 */
function changedSummaries(
  before: readonly KnownClaim[],
  after: readonly KnownClaim[],
): readonly ClaimSummary[] {
  const known = summariesOf(before);
  const changed = summariesOf(after).filter((one) => !isDeepStrictEqual(one, known[one.claim - 1]));
  const rankOf = ({ claim, stands, sessionId }: ClaimSummary) => {
    const then = known[claim - 1];
    const isLess =
      (then?.stands === true && !stands) || (then?.sessionId !== undefined && sessionId === undefined);
    return isLess ? 0 : 1;
  };
  return changed.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function tampered(): PaysessionError {
  const code = 'ENCRYPTION_TAMPERED';
  return new PaysessionError(code, withRemedy(code, 'An entry’s personal data was changed in the ledger.'));
}
