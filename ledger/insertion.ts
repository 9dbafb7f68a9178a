import type { LedgerFact } from '../src/protocol/ledger/facts';
import type { Value } from './postgres/database';
import type { HashedEntry } from './entry-hash';
import { summaryWriting } from './sessions/stored-summary';
import type { ClaimSummary } from './sessions/summary';
import type { WrappedKey } from './session-key';

/** An entry to add. */
export interface NewEntry extends HashedEntry {
  readonly kind: LedgerFact['kind'];
  readonly hash: Buffer;
  readonly sealed: Buffer | null;
  readonly previous: Buffer;
}

/** The entries to add to a key, and the changes that come with them. */
export interface Addition {
  readonly entries: readonly NewEntry[];
  /** The summaries that the entries change. */
  readonly summaries: readonly ClaimSummary[];
  /** Encrypts the personal data of the key's sessions. Present only with the key's first entries. */
  readonly ownKey?: WrappedKey | undefined;
}

/**
 * Returns one statement that adds entries to a key, all or none, with the summaries that they change. The environment is `$1` and the key `$2`.
 * The statement fails with `UNIQUE_VIOLATION` if another writer has added entries at these numbers, or if a claim of another key has a
 * session of `summaries`. It fails with `NOT_NULL_VIOLATION` if the previous entry is missing or different, as after a restore from an
 * earlier backup.
 */
export function insertion({ entries, summaries, ownKey }: Addition): {
  readonly sql: string;
  readonly values: readonly Value[];
} {
  const values = entries.flatMap((entry) => COLUMNS.map((column): Value => valueOf(entry, column)));
  const parts: string[] = [];
  if (entries.some(({ kind }) => kind === 'erased')) parts.push(`gone as (${DESTROY_KEY})`);
  if (ownKey !== undefined) {
    const last = values.push(ownKey.wrapped, ownKey.wrappedWith);
    parts.push(`own as (insert into paysession_ledger.session_keys (environment, key, wrapped, wrapped_with)
      values ($1, $2, $${last - 1}, $${last}))`);
  }
  if (summaries.length > 0) {
    const written = summaryWriting(summaries, values.length);
    values.push(...written.values);
    parts.push(`summaries as (${written.sql})`);
  }
  const insert = `insert into paysession_ledger.entries (${COLUMNS.join(', ')}) values ${rowsOf(entries)}`;
  return { sql: parts.length === 0 ? insert : `with ${parts.join(', ')} ${insert}`, values };
}

const COLUMNS = [
  'environment',
  'key',
  'number',
  'claim',
  'id',
  'kind',
  'at',
  'recorded_at',
  'body',
  'sealed',
  'previous',
  'hash',
] as const;
type Column = (typeof COLUMNS)[number];

const valueOf = (entry: NewEntry, column: Column): Value =>
  column === 'recorded_at' ? entry.recordedAt : entry[column];

/** Runs in one statement with the entry of the erasure: neither happens without the other. */
const DESTROY_KEY = `update paysession_ledger.session_keys set wrapped = null, wrapped_with = null
  where environment = $1 and key = $2`;

/**
 * Selects the previous entry's hash for the first new entry. If the previous entry is missing or has another hash, this is null, which the
 * column refuses.
 */
const PREVIOUS = `(select hash from paysession_ledger.entries
  where environment = $1 and key = $2 and number = $3 - 1 and hash = $${COLUMNS.indexOf('previous') + 1})`;

/** Returns `($1, $2, …), ($13, …)`. */
function rowsOf(entries: readonly NewEntry[]): string {
  const place = (index: number, column: number) => `$${index * COLUMNS.length + column + 1}`;
  return entries
    .map(({ number }, index) => {
      const looksUp = index === 0 && number > 1;
      return COLUMNS.map((name, column) =>
        looksUp && name === 'previous' ? PREVIOUS : place(index, column),
      );
    })
    .map((row) => `(${row.join(', ')})`)
    .join(', ');
}
