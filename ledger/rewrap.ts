import type { KeyRing } from '../src/encryption';
import { isPaysessionError, SettingsError, type PaysessionError } from '../src/errors';
import { unwrap, wrap, type KeptKey, type WrappedKey } from './session-key';
import type { LedgerDatabase } from './postgres/database';

/**
 * Encrypts the encryption keys of sessions with a new key. Each session's personal data are encrypted with a key of that session. That key is
 * itself encrypted ("wrapped") with one of the keys in the settings, the key ring.
 */

/** The progress of a rewrap. */
export interface RewrapProgress {
  /** The number of sessions whose keys were checked. */
  readonly looked: number;
  /** The number of checked sessions whose keys this rewrap has wrapped with the current key. */
  readonly rewrapped: number;
}

export interface RewrapOptions {
  readonly database: LedgerDatabase;
  readonly environment: string;
  readonly ring: KeyRing | undefined;
}

/** The maximum number of sessions that one step reads and writes. So a step is short even if the ledger is large. */
const BATCH = 500;

/**
 * Wraps the keys of all sessions with the current encryption key. Leaves out keys that are already wrapped with it. Yields the progress after
 * each batch. Returns the number of sessions. If a key cannot be unwrapped, leaves it unchanged, wraps all others, and then throws the first
 * such error.
 */
export async function* rewrapKeys(options: RewrapOptions): AsyncGenerator<RewrapProgress, number> {
  const { ring } = options;
  if (ring === undefined)
    throw new SettingsError([
      {
        path: 'PAYSESSION_ENCRYPTION_KEYS',
        message: 'is missing: its first key wraps the keys of the ledger’s sessions',
      },
    ]);
  let after = '';
  let looked = 0;
  let rewrapped = 0;
  let refused: PaysessionError | undefined;
  for (;;) {
    const page = await readPage(options, after);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.key;
    const batch = await rewrapAll(page, { ...options, ring });
    refused ??= batch.refused;
    looked += page.length;
    rewrapped += await store(options, batch.fresh);
    yield { looked, rewrapped };
  }
  if (refused !== undefined) throw refused;
  return looked;
}

interface StoredKey extends KeptKey {
  readonly key: string;
}

/** A session's key in two forms: as it was read, and wrapped with the current key. */
interface FreshKey {
  readonly key: string;
  readonly old: Buffer;
  readonly stored: WrappedKey;
}

/** Reads the next page of all keys. A query for only the keys to rewrap could exceed a statement's time limit in a large ledger. */
async function readPage(
  { database, environment }: RewrapOptions,
  after: string,
): Promise<readonly StoredKey[]> {
  return database.query<StoredKey>(
    `select session_keys.key, wrapped, wrapped_with as "wrappedWith", coalesce(previous, '') as commitment
      from paysession_ledger.session_keys
      left join paysession_ledger.entries on entries.environment = session_keys.environment
        and entries.key = session_keys.key and number = 1
      where session_keys.environment = $1 and session_keys.key > $2 order by session_keys.key limit ${BATCH}`,
    [environment, after],
  );
}

async function rewrapAll(
  page: readonly StoredKey[],
  { environment, ring }: RewrapOptions & { readonly ring: KeyRing },
): Promise<{ readonly fresh: readonly FreshKey[]; readonly refused: PaysessionError | undefined }> {
  const { id: current } = await ring.current();
  const fresh: FreshKey[] = [];
  let refused: PaysessionError | undefined;
  for (const { key, wrapped, wrappedWith, commitment } of page) {
    if (wrapped === null || wrappedWith === current) continue;
    const owner = { environment, key };
    try {
      const secret = await unwrap(ring, { wrapped, wrappedWith, commitment }, owner, { takesPlain: true });
      if (secret !== undefined) fresh.push({ key, old: wrapped, stored: await wrap(ring, secret, owner) });
    } catch (error) {
      if (!isPaysessionError(error)) throw error;
      refused ??= error;
    }
  }
  return { fresh, refused };
}

/**
 * Writes the wrapped keys. A key that was changed since it was read is left alone, so that an erased key stays erased. Rows are locked in the
 * order of their session keys. So two rewraps that run at once wait for each other, and cause no deadlock.
 */
async function store({ database, environment }: RewrapOptions, fresh: readonly FreshKey[]): Promise<number> {
  if (fresh.length === 0) return 0;
  const given = fresh.map(({ key, old, stored }) => ({
    key,
    old: old.toString('base64'),
    wrapped: stored.wrapped?.toString('base64'),
    wrapped_with: stored.wrappedWith,
  }));
  return (await database.query(STORE, [environment, JSON.stringify(given)])).length;
}

const STORE = `with fresh as (
    select key, decode(old, 'base64') as old, decode(wrapped, 'base64') as wrapped, wrapped_with
      from jsonb_to_recordset($2::jsonb) as given (key text, old text, wrapped text, wrapped_with text)
  ), held as (
    select key from paysession_ledger.session_keys
      where environment = $1 and key in (select key from fresh) order by key for update
  )
  update paysession_ledger.session_keys kept set wrapped = fresh.wrapped, wrapped_with = fresh.wrapped_with
    from fresh join held using (key)
    where kept.environment = $1 and kept.key = fresh.key and kept.wrapped = fresh.old
    returning kept.key`;
