import { decrypt, encrypt, type KeyRing } from '../../src/encryption';
import { PaysessionError, withRemedy } from '../../src/errors';
import { systemCode } from '../../src/files/system-error';
import type { LedgerEntry, LedgerFact } from '../../src/protocol/ledger/facts';
import type { LedgerDatabase, Value } from '../postgres/database';
import { UNIQUE_VIOLATION } from '../postgres/failures';
import { hashOf } from './entry-hash';
import { newSessionKey, unwrap, type KeyOwner, type WrappedKey } from './session-key';
import { fromStored, idsOf, toStored, type StoredFact } from './stored-fact';

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
export interface ReadEntry extends LedgerEntry {
  readonly id: string;
  readonly sealed: Buffer | null;
  readonly hash: Buffer;
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
   * Reads a session's entries, decides what to add to them, and adds that, in one step: whoever was sooner has it decided anew. Gives
   * the entries as they were, with what was decided.
   */
  async append<T>(
    key: string,
    decide: (before: SessionEntries) => { readonly add: readonly LedgerFact[]; readonly answer: T },
  ): Promise<{ readonly answer: T; readonly before: SessionEntries; readonly added: number }> {
    for (let tries = 1; ; tries += 1) {
      const before = await this.read(key);
      const { add, answer } = decide(before);
      const known = new Set(before.entries.flatMap(idsOf));
      const missing = add.map(toStored).filter(({ id }) => !known.has(id));
      if (missing.length === 0) return { answer, before, added: 0 };
      try {
        await this.#insert(before, missing);
        return { answer, before, added: missing.length };
      } catch (error) {
        if (!isTaken(error) || tries === MOST_TRIES) throw error;
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

  async #insert({ key, entries, sessionKey }: SessionEntries, facts: readonly StoredFact[]): Promise<void> {
    const { database, environment, ring, now = Date.now } = this.#options;
    const owner = { environment, key };
    const own = sessionKey === undefined ? await newSessionKey(ring, owner) : undefined;
    // Whoever writes nothing personal needs no key: an erasure must not wait for one that is lost.
    const isPersonal = facts.some(({ personal }) => personal !== undefined);
    const secret =
      own?.secret ?? (isPersonal && sessionKey ? await unwrap(ring, sessionKey, owner) : undefined);
    const recordedAt = new Date(now()).toISOString();
    let previous: Buffer = entries.at(-1)?.hash ?? Buffer.alloc(0);
    let number = entries.length;
    const values: Value[] = [];
    for (const fact of facts) {
      number += 1;
      const { id, kind, at, body, personal } = fact;
      const sealed =
        personal === undefined || secret === undefined ? null : seal(secret, personal, owner, id);
      const hash = hashOf({ ...owner, number, id, kind, at, recordedAt, body, sealed, previous });
      values.push(environment, key, number, id, kind, at, recordedAt, body, sealed, previous, hash);
      previous = hash;
    }
    const insert = `insert into paysession_ledger.entries (${COLUMNS.join(', ')}) values ${rowsOf(facts.length)}`;
    if (own === undefined) {
      const isErasure = facts.some(({ kind }) => kind === 'erased');
      await database.query(isErasure ? `with gone as (${DESTROY_KEY}) ${insert}` : insert, values);
      return;
    }
    const { wrapped, wrappedWith } = own.stored;
    const from = values.length;
    const withKey = `with own as (insert into paysession_ledger.session_keys (environment, key, wrapped, wrapped_with)
      values ($${from + 1}, $${from + 2}, $${from + 3}, $${from + 4})) ${insert}`;
    await database.query(withKey, [...values, environment, key, wrapped, wrappedWith]);
  }
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

const COLUMNS = [
  'environment',
  'key',
  'number',
  'id',
  'kind',
  'at',
  'recorded_at',
  'body',
  'sealed',
  'previous',
  'hash',
];

const SELECT = `select number, id, kind, at, recorded_at, body, sealed, hash, wrapped, wrapped_with
  from paysession_ledger.entries left join paysession_ledger.session_keys using (environment, key)
  where environment = $1 and key = $2 order by number`;

/** In one statement with the entry that says so: neither is there without the other. */
const DESTROY_KEY = `update paysession_ledger.session_keys set wrapped = null, wrapped_with = null
  where environment = $1 and key = $2`;

/** `($1, $2, …), ($12, …)` for so many rows. */
function rowsOf(count: number): string {
  const row = (index: number) => COLUMNS.map((_name, column) => `$${index * COLUMNS.length + column + 1}`);
  return Array.from({ length: count }, (_row, index) => `(${row(index).join(', ')})`).join(', ');
}

function toEntry({ number, id, kind, at, recorded_at: recordedAt, body, sealed, hash }: Row): ReadEntry {
  const fact = fromStored({ kind, at: at.toISOString(), body });
  return { number, id, recordedAt: recordedAt.toISOString(), fact, sealed, hash };
}

/** What is encrypted for one entry opens in no other. */
const boundTo = ({ environment, key }: KeyOwner, id: string): Buffer =>
  Buffer.from(JSON.stringify([environment, key, id]));

const seal = (secret: Uint8Array, personal: string, owner: KeyOwner, id: string): Buffer =>
  Buffer.from(encrypt({ secret, bytes: Buffer.from(personal), authenticated: boundTo(owner, id) }));

/** Whether somebody else was sooner. */
function isTaken(error: unknown): boolean {
  return error instanceof PaysessionError && systemCode(error.cause) === UNIQUE_VIOLATION;
}

function tampered(): PaysessionError {
  const code = 'ENCRYPTION_TAMPERED';
  return new PaysessionError(code, withRemedy(code, 'An entry’s personal data was changed in the ledger.'));
}
