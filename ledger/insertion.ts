import type { LedgerFact } from '../src/protocol/ledger/facts';
import type { Value } from './postgres/database';
import type { HashedEntry } from './entry-hash';
import { summaryWriting } from './sessions/stored-summary';
import type { ClaimSummary } from './sessions/summary';
import type { WrappedKey } from './session-key';

/** Builds the SQL statement that adds entries to a session key. */

/** An entry to add. */
export interface NewEntry extends HashedEntry {
  readonly kind: LedgerFact['kind'];
  readonly hash: Buffer;
  readonly sealed: Buffer | null;
  readonly previous: Buffer;
}

/** The entries to add to a key, and the other rows that change with them. */
export interface Addition {
  readonly entries: readonly NewEntry[];
  /** The summaries of claims that change because of the entries. A summary is a claim's row in the table `claims`. */
  readonly summaries: readonly ClaimSummary[];
  /** The key that encrypts the personal data of the key's sessions. Present only with the key's first entries. */
  readonly ownKey?: WrappedKey | undefined;
}

/**
 * Returns one statement that adds entries to a key and changes the summaries. The statement does all of this or nothing. The environment is
 * `$1` and the key is `$2`.
 *
 * The statement fails with `UNIQUE_VIOLATION` if another writer has added entries with these numbers, or if a claim of another key already has
 * a session that is in `summaries`. It fails with `NOT_NULL_VIOLATION` if the previous entry is missing or different, for instance after the
 * database was restored from an earlier backup.
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

/** Destroys the encryption key of a session. Part of the statement that adds the entry `erased`, so that both happen or neither does. */
const DESTROY_KEY = `update paysession_ledger.session_keys set wrapped = null, wrapped_with = null
  where environment = $1 and key = $2`;

/**
 * Selects the hash of the entry before the first new one. If that entry is missing or has another hash, the result is null, and the column
 * refuses null.
 */
const PREVIOUS = `(select hash from paysession_ledger.entries
  where environment = $1 and key = $2 and number = $3 - 1 and hash = $${COLUMNS.indexOf('previous') + 1})`;

/** Returns the rows' placeholders: `($1, $2, …), ($13, …)`. */
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
