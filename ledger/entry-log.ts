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
import {
  idIn,
  RememberedKeys,
  NEW_KEY,
  withEntries,
  type KnownEntry,
  type KnownKey,
} from './remembered-keys';
import { newSessionKey, unwrap, type KeptKey, type KeyOwner } from './session-key';
import { fromStored, isListedOf, toStored, type ListedMetadata, type StoredFact } from './stored-fact';
import { isRecord } from '../src/contract/values/json';
import { systemCode } from '../src/files';

export interface EntryLogOptions {
  readonly database: LedgerDatabase;
  /** The name of the environment. A session key is unique in its environment. */
  readonly environment: string;
  /** The keys that encrypt ("wrap") the sessions' own encryption keys. @default the sessions' keys are stored as they are */
  readonly ring?: KeyRing | undefined;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** The entries of one session key, as they were read from the database. */
export interface SessionEntries {
  readonly key: string;
  readonly entries: readonly ReadEntry[];
  readonly sessionKey: KeptKey | undefined;
}

/** An entry whose personal data are still encrypted. */
export interface ReadEntry extends LedgerEntry, KnownEntry {
  readonly sealed: Buffer | null;
}

/** The facts to add to a key's entries, and the answer for the caller. */
export interface Decided<T> {
  readonly add: readonly ClaimFact[];
  readonly answer: T;
}

/** The maximum number of attempts to add entries. An attempt fails if another writer adds entries to the same key first. */
const MOST_TRIES = 20;

/**
 * Reads and adds the entries of single session keys.
 *
 * An entry records one fact. It has a number, the hash of the previous entry, and its personal data in encrypted form. Each session key has an
 * encryption key of its own for that, called the session's own key. To erase a session's personal data, that key is destroyed.
 */
export class EntryLog {
  readonly #options: EntryLogOptions;
  readonly #remembered = new RememberedKeys();

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
   * Calls `decide` with a key's claims, and adds the facts that it returns, all or none. If another writer adds entries first, reads the key
   * again and calls `decide` again.
   *
   * If this process remembers the key, the first call of `decide` gets the remembered claims. They may be out of date: then the database
   * refuses the addition. If `decide` adds nothing or throws with remembered claims, the key is read and `decide` is called again.
   *
   * @throws {@link PaysessionError} `SESSION_FOLLOWED` if a fact names a session that a claim of another key has
   * @throws the errors of `decide`, of `read`, of encryption and of the database
   */
  async append<T>(
    key: string,
    decide: (claims: readonly KnownClaim[]) => Decided<T>,
  ): Promise<{ readonly answer: T; readonly added: number }> {
    return this.#append(key, this.#remembered.get(key), ({ known }) =>
      Promise.resolve({ decided: decide(known.claims) }),
    );
  }

  /**
   * Adds entries as `append` does, for a claim. A claim compares requests, and needs the session's own encryption key for that. This key is
   * never remembered, so the entries are read first. With `isNew`, if the session key is not remembered, the method assumes that it is new and
   * has no entries. If that is wrong, the database refuses the addition, and the method reads the entries and tries again.
   */
  async appendClaim<T>(
    key: string,
    decide: (claims: readonly KnownClaim[], keyed: Keyed) => Decided<T>,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<{ readonly answer: T; readonly added: number }> {
    const first = isNew && this.#remembered.get(key) === undefined ? NEW_KEY : undefined;
    return this.#append(key, first, async (before) => {
      const opened = await this.#open(key, before).catch((error: unknown) => ({ error }));
      return {
        decided: decide(before.known.claims, (digest) => {
          // The error is thrown only here, because a claim that compares no requests needs no encryption key.
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
    let remembered = first;
    for (let tries = 1; ; tries += 1) {
      const before = remembered === undefined ? await this.#readKnown(key) : { known: remembered };
      const { known } = before;
      let outcome: Awaited<ReturnType<typeof decide>>;
      try {
        outcome = await decide(before);
      } catch (error) {
        if (remembered === undefined) throw error;
        remembered = undefined;
        continue;
      }
      const { decided, opened } = outcome;
      const { add, answer } = decided;
      const isErased = known.claims.some((claim) => claim.isErased);
      const missing = add
        .map(({ claim, fact }) => ({ claim, ...toStored(fact, isErased) }))
        .filter(({ claim, id }) => !known.ids.has(idIn(claim, id)));
      if (remembered !== undefined && missing.length === 0) {
        remembered = undefined;
        continue;
      }
      if (missing.length === 0) {
        this.#remembered.put(key, known);
        return { answer, added: 0 };
      }
      try {
        this.#remembered.put(key, await this.#insert(key, { ...before, opened }, missing));
        return { answer, added: missing.length };
      } catch (error) {
        this.#remembered.drop(key);
        if (constraintOf(error) === ONE_CLAIM_A_SESSION) throw await this.#followed(missing);
        if (!isStale(error) || tries >= MOST_TRIES) throw error;
        remembered = undefined;
      }
    }
  }

  async #readKnown(key: string): Promise<Before> {
    const { entries, sessionKey } = await this.read(key);
    return { known: withEntries(NEW_KEY, entries), sessionKey };
  }

  /** Returns the fact of an entry, including personal data. If the personal data were erased, returns the fact without them. */
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

  /** Returns a session's entries, including personal data. If the personal data were erased, returns the entries without them. */
  async revealAll(session: SessionEntries): Promise<readonly LedgerEntry[]> {
    return Promise.all(
      session.entries.map(async (entry) => {
        const { number, claim, recordedAt } = entry;
        return { number, claim, recordedAt, fact: await this.reveal(session, entry) };
      }),
    );
  }

  /** Adds facts to a key, and updates the summaries that change because of them. Returns the state of the key afterwards. */
  async #insert(
    key: string,
    before: Before & { readonly opened?: OpenedKey | undefined },
    facts: readonly NewFact[],
  ): Promise<KnownKey> {
    const { database, environment, now } = this.#options;
    const { known } = before;
    const owner = { environment, key };
    // Facts without personal data are added without the encryption key. So an erasure works even if that key is lost.
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

  /** Returns the session's own encryption key. If the session has no entries yet, creates the key. */
  async #open(key: string, { known, sessionKey }: Before): Promise<OpenedKey> {
    const { environment, ring } = this.#options;
    const owner = { environment, key };
    if (known.count > 0) return { secret: await unwrap(ring, sessionKey ?? (await this.#keyOf(key)), owner) };
    const { secret, stored } = await newSessionKey(ring, owner);
    return { secret, made: stored };
  }

  /** Returns the error `SESSION_FOLLOWED`, for facts that name a session of another key. */
  async #followed(facts: readonly NewFact[]): Promise<PaysessionError> {
    const opened = facts.map(fromStored).find((fact) => fact.kind === 'opened');
    const key = opened && (await this.keyOf(opened.sessionId));
    const code = 'SESSION_FOLLOWED';
    return new PaysessionError(
      code,
      key === undefined ? explain(code) : `${explain(code)} The key is “${key}”.`,
    );
  }

  /** Returns the key whose claim has a session of the payment service. Returns `undefined` if no claim has the session. */
  async keyOf(sessionId: string): Promise<string | undefined> {
    const { database, environment } = this.#options;
    const [row] = await database.query<{ readonly key: string }>(
      'select key from paysession_ledger.claims where environment = $1 and session_id = $2',
      [environment, sessionIdentity(sessionId)],
    );
    return row?.key;
  }

  /**
   * Reads the session's own encryption key. It is read each time and never remembered, because it may have been erased meanwhile. Throws
   * `LEDGER_TAMPERED` if the session's first entry is gone.
   */
  async #keyOf(key: string): Promise<KeptKey> {
    const { database, environment } = this.#options;
    const [row] = await database.query<KeptKey>(SELECT_KEY, [environment, key]);
    if (row === undefined) throw brokenChain(key, 1);
    return row;
  }
}

/** The state of a session key before entries are added. */
interface Before {
  readonly known: KnownKey;
  /** The session's own encryption key. Absent if it was not read, or if there are no entries. */
  readonly sessionKey?: KeptKey | undefined;
}

/** A session's own encryption key. */
interface OpenedKey {
  /** The decrypted key. Absent if the key was erased. */
  readonly secret?: Uint8Array | undefined;
  /** The key in the form in which it is stored. Present only if it is new, and must be stored with the first entries. */
  readonly made?: KeptKey | undefined;
}

/** Returns the keyed digest of a request's digest. Without the session's own encryption key, the keyed digest reveals nothing. */
export type Keyed = (digest: string) => string;

/** Returns a digest keyed with the session's own key. If that key was erased, returns a random text, so that no request equals another. */
const keyedWith = (secret: Uint8Array | undefined, digest: string): string =>
  secret === undefined
    ? randomUUID()
    : createHmac('sha256', secret).update('paysession request 1').update(digest).digest('base64url');

type NewFact = StoredFact & Pick<LedgerEntry, 'claim'>;

/** A row of the database with an entry. In the first entry's row, `commitment` identifies the session's own key. Elsewhere it is unused. */
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

/** Converts rows to entries. Throws `LEDGER_TAMPERED` if the entries do not form an unbroken chain of hashes from the first entry on. */
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

/** Converts a row to an entry. Returns `undefined` if the hash does not match the fields, or if a field has an impossible value. */
function toEntry(owner: KeyOwner, row: Row): ReadEntry | undefined {
  const { number, claim, id, kind, body, sealed, hash } = row;
  try {
    const times = { at: row.at.toISOString(), recordedAt: row.recorded_at.toISOString() };
    if (!hashOf({ ...row, ...owner, ...times }).equals(hash)) return undefined;
    const fact = withListed(fromStored({ kind, at: times.at, body }), listedIn(row));
    return { number, claim, id, recordedAt: times.recordedAt, fact, sealed, hash };
  } catch {
    // A field was changed. PostgreSQL's time `infinity` is not a date in JavaScript, for example, and a changed body may not be JSON.
    return undefined;
  }
}

const listedIn = ({ metadata, metadata_salt: metadataSalt }: Row): ListedMetadata | undefined =>
  metadata === null || metadataSalt === null ? undefined : { metadata, metadataSalt };

/** Adds the searchable metadata to the fact `claimed`, if they match its hash. `ledger verify` reports metadata that do not match. */
const withListed = (fact: LedgerFact, listed: ListedMetadata | undefined): LedgerFact =>
  fact.kind === 'claimed' && listed !== undefined && isListedOf(fact, listed) ? { ...fact, ...listed } : fact;

function brokenChain(key: string, number: number): PaysessionError {
  const code = 'LEDGER_TAMPERED';
  const happened = `Entry ${number} of the session with the key "${key}" was changed in the ledger, or does not follow the entry before it.`;
  return new PaysessionError(code, withRemedy(code, happened));
}

/** Returns the data that bind a ciphertext to its entry. If the ciphertext is copied to another entry, it cannot be decrypted there. */
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

/** Returns the name of the database constraint because of which a statement failed. */
function constraintOf(error: unknown): unknown {
  const cause = error instanceof PaysessionError ? error.cause : undefined;
  return isRecord(cause) ? cause['constraint'] : undefined;
}

/**
 * True if the entries on which an addition was based are not those in the database. Either another writer was faster, or the database was
 * restored from a backup. The caller then reads the entries again. If they were tampered with, that read throws `LEDGER_TAMPERED`.
 */
function isStale(error: unknown): boolean {
  if (!(error instanceof PaysessionError)) return false;
  if (error.code === 'LEDGER_TAMPERED') return true;
  const code = systemCode(error.cause);
  return code === UNIQUE_VIOLATION || code === NOT_NULL_VIOLATION;
}

/**
 * Returns the summaries that have changed. If the key or a session passes from one claim to another, the summary of the claim that gives it up
 * comes first, because the database allows only one claim to have it.
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
