import { decrypt, encrypt, type KeyRing } from '../../src/encryption';
import { PaysessionError, withRemedy } from '../../src/errors';
import { systemCode } from '../../src/files/system-error';
import type { LedgerEntry, LedgerFact } from '../../src/protocol/ledger/facts';
import type { LedgerDatabase } from '../postgres/database';
import { NOT_NULL_VIOLATION, UNIQUE_VIOLATION } from '../postgres/failures';
import { hashOf } from './entry-hash';
import { SessionsInHand, type KnownEntry } from './in-hand';
import { insertion, type NewEntry } from './insertion';
import { newSessionKey, unwrap, type KeyOwner, type WrappedKey } from './session-key';
import { fromStored, toStored, type StoredFact } from './stored-fact';

export interface EntryLogOptions {
  readonly database: LedgerDatabase;
  /** The sessions of which Temporal namespace or installation these are: a key is unique in it. */
  readonly environment: string;
  /** Wraps the sessions' own keys. @default they are stored as they are */
  readonly ring?: KeyRing | undefined;
  /** Milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
}

/** The entries of one session as they were read. */
export interface SessionEntries {
  readonly key: string;
  readonly entries: readonly ReadEntry[];
  readonly sessionKey: WrappedKey | undefined;
}

/** An entry whose personal part is still encrypted. */
export interface ReadEntry extends LedgerEntry, KnownEntry {
  readonly sealed: Buffer | null;
}

/** The end of a workflow that had this key. */
export interface LedgerEndOf {
  readonly key: string;
  /** The first of the workflow's runs. */
  readonly firstRunId: string;
  readonly at: Date;
}

/** Rewritten by whoever comes second: so many times in a row nobody does. */
const MOST_TRIES = 20;

/** Reads and appends the entries of single sessions. */
export class EntryLog {
  readonly #options: EntryLogOptions;
  readonly #inHand = new SessionsInHand();

  constructor(options: EntryLogOptions) {
    this.#options = options;
  }

  /** Reads a session's entries, the first first. */
  async read(key: string): Promise<SessionEntries> {
    const { database, environment } = this.#options;
    const rows = await database.query<Row>(SELECT, [environment, key]);
    const [first] = rows;
    return {
      key,
      entries: rows.map(toEntry),
      sessionKey: first && { wrapped: first.wrapped, wrappedWith: first.wrapped_with },
    };
  }

  /**
   * Decides by a session's entries what to add to them, and adds that, in one step: whoever was sooner has it decided anew. At first the
   * entries are those in hand, and none for a key that `isNew`: nothing can be added to them where they are stale, and where nothing is to
   * be added they are read.
   */
  async append<T>(
    key: string,
    decide: (entries: readonly KnownEntry[]) => { readonly add: readonly LedgerFact[]; readonly answer: T },
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<{ readonly answer: T; readonly added: number }> {
    let inHand = this.#inHand.get(key) ?? (isNew ? [] : undefined);
    for (let tries = 1; ; tries += 1) {
      const before = inHand === undefined ? await this.read(key) : { key, entries: inHand };
      const { add, answer } = decide(before.entries);
      const known = new Set(before.entries.map(({ id }) => id));
      const missing = add.map(toStored).filter(({ id }) => !known.has(id));
      if (inHand !== undefined && missing.length === 0) {
        inHand = undefined;
        continue;
      }
      if (missing.length === 0) {
        this.#inHand.put(key, before.entries);
        return { answer, added: 0 };
      }
      try {
        this.#inHand.put(key, [...before.entries, ...(await this.#insert(before, missing))]);
        return { answer, added: missing.length };
      } catch (error) {
        this.#inHand.drop(key);
        if (!isStale(error) || tries >= MOST_TRIES) throw error;
        inHand = undefined;
      }
    }
  }

  /** Which workflows' ends stand in the ledger. */
  async endedAmong(keys: readonly string[]): Promise<readonly LedgerEndOf[]> {
    const { database, environment } = this.#options;
    const rows = await database.query<{ readonly key: string; readonly body: string; readonly at: Date }>(
      `select key, body, at from paysession_ledger.entries
        where environment = $1 and key = any (select jsonb_array_elements_text($2::jsonb)) and kind = 'ended'`,
      [environment, JSON.stringify(keys)],
    );
    return rows.map(({ key, body, at }) => ({
      key,
      at,
      firstRunId: (JSON.parse(body) as { readonly firstRunId: string }).firstRunId,
    }));
  }

  /** An entry with its personal part, unless that has been erased. */
  async reveal({ key, sessionKey }: SessionEntries, entry: ReadEntry): Promise<LedgerFact> {
    const { environment, ring } = this.#options;
    const { sealed, fact, id } = entry;
    if (sealed === null || sessionKey === undefined) return fact;
    const owner = { environment, key };
    const secret = await unwrap(ring, sessionKey, owner);
    if (secret === undefined) return fact;
    const plain = decrypt({ secret, bytes: sealed, authenticated: boundTo(owner, id) });
    if (plain === undefined) throw tampered();
    return { ...fact, ...(JSON.parse(Buffer.from(plain).toString()) as Partial<LedgerFact>) } as LedgerFact;
  }

  /** Adds facts to a session as it was before, and gives what to keep of them in hand. */
  async #insert({ key, entries, sessionKey }: Before, facts: readonly StoredFact[]): Promise<KnownEntry[]> {
    const { database, environment, ring, now = Date.now } = this.#options;
    const owner = { environment, key };
    const own = entries.length === 0 ? await newSessionKey(ring, owner) : undefined;
    // Whoever writes nothing personal needs no key: an erasure must not wait for one that is lost.
    const isPersonal = facts.some(({ personal }) => personal !== undefined);
    const secret =
      own?.secret ??
      (isPersonal ? await unwrap(ring, sessionKey ?? (await this.#keyOf(key)), owner) : undefined);
    const recordedAt = new Date(now()).toISOString();
    let previous: Buffer = entries.at(-1)?.hash ?? Buffer.alloc(0);
    const added = facts.map(({ personal, ...fact }, index): NewEntry => {
      const number = entries.length + index + 1;
      const sealed =
        personal === undefined || secret === undefined ? null : seal(secret, personal, owner, fact.id);
      const entry = { ...owner, ...fact, number, recordedAt, sealed, previous };
      previous = hashOf(entry);
      return { ...entry, hash: previous };
    });
    const { sql, values } = insertion(owner, added, own?.stored);
    await database.query(sql, values);
    return added.map(({ id, hash, kind, at, body }) => ({ id, hash, fact: fromStored({ kind, at, body }) }));
  }

  /** The session's own key as it is now: it may have been erased, and is never kept in hand. */
  async #keyOf(key: string): Promise<WrappedKey> {
    const { database, environment } = this.#options;
    const [row] = await database.query<Pick<Row, 'wrapped' | 'wrapped_with'>>(SELECT_KEY, [environment, key]);
    return { wrapped: row?.wrapped ?? null, wrappedWith: row?.wrapped_with ?? null };
  }
}

/** A session to which entries are added. */
interface Before extends Pick<SessionEntries, 'key'> {
  readonly entries: readonly KnownEntry[];
  /** Absent where it was not read, and where there are no entries. */
  readonly sessionKey?: WrappedKey | undefined;
}

interface Row {
  readonly number: number;
  readonly id: string;
  readonly kind: StoredFact['kind'];
  readonly at: Date;
  readonly recorded_at: Date;
  readonly body: string;
  readonly sealed: Buffer | null;
  readonly hash: Buffer;
  readonly wrapped: Buffer | null;
  readonly wrapped_with: string | null;
}

const SELECT = `select number, id, kind, at, recorded_at, body, sealed, hash, wrapped, wrapped_with
  from paysession_ledger.entries left join paysession_ledger.session_keys using (environment, key)
  where environment = $1 and key = $2 order by number`;

const SELECT_KEY = `select wrapped, wrapped_with from paysession_ledger.session_keys
  where environment = $1 and key = $2`;

function toEntry({ number, id, kind, at, recorded_at: recordedAt, body, sealed, hash }: Row): ReadEntry {
  const fact = fromStored({ kind, at: at.toISOString(), body });
  return { number, id, recordedAt: recordedAt.toISOString(), fact, sealed, hash };
}

/** What is encrypted for one entry opens in no other. */
const boundTo = ({ environment, key }: KeyOwner, id: string): Buffer =>
  Buffer.from(JSON.stringify([environment, key, id]));

const seal = (secret: Uint8Array, personal: string, owner: KeyOwner, id: string): Buffer =>
  Buffer.from(encrypt({ secret, bytes: Buffer.from(personal), authenticated: boundTo(owner, id) }));

/** Whether somebody else was sooner, or the entries were not those of the session. */
function isStale(error: unknown): boolean {
  const code = error instanceof PaysessionError ? systemCode(error.cause) : undefined;
  return code === UNIQUE_VIOLATION || code === NOT_NULL_VIOLATION;
}

function tampered(): PaysessionError {
  const code = 'ENCRYPTION_TAMPERED';
  return new PaysessionError(code, withRemedy(code, 'An entry’s personal data was changed in the ledger.'));
}
