import type { LedgerFact } from '../../src/protocol/ledger/facts';
import type { Value } from '../postgres/database';
import type { HashedEntry } from './entry-hash';
import type { KeyOwner, WrappedKey } from './session-key';

/** An entry that is to be added. */
export interface NewEntry extends HashedEntry {
  readonly kind: LedgerFact['kind'];
  readonly hash: Buffer;
  readonly sealed: Buffer | null;
  readonly previous: Buffer;
}

/** A statement with its values. */
export interface Insertion {
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * Adds entries to a session in one statement, all or none, with its own key where they are the first. It fails with `UNIQUE_VIOLATION`
 * where somebody has added others there, and with `NOT_NULL_VIOLATION` where the entry before is not there or is another one, as after
 * a restore from an earlier backup.
 */
export function insertion(owner: KeyOwner, entries: readonly NewEntry[], ownKey?: WrappedKey): Insertion {
  const insert = `insert into paysession_ledger.entries (${COLUMNS.join(', ')}) values ${rowsOf(entries)}`;
  const values = entries.flatMap((entry) => COLUMNS.map((column): Value => valueOf(entry, column)));
  if (ownKey === undefined) {
    const isErasure = entries.some(({ kind }) => kind === 'erased');
    return { sql: isErasure ? `with gone as (${DESTROY_KEY}) ${insert}` : insert, values };
  }
  const from = values.length;
  const withKey = `with own as (insert into paysession_ledger.session_keys (environment, key, wrapped, wrapped_with)
    values ($${from + 1}, $${from + 2}, $${from + 3}, $${from + 4})) ${insert}`;
  const { wrapped, wrappedWith } = ownKey;
  return { sql: withKey, values: [...values, owner.environment, owner.key, wrapped, wrappedWith] };
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
] as const;
type Column = (typeof COLUMNS)[number];

const valueOf = (entry: NewEntry, column: Column): Value =>
  column === 'recorded_at' ? entry.recordedAt : entry[column];

/** In one statement with the entry that says so: neither is there without the other. */
const DESTROY_KEY = `update paysession_ledger.session_keys set wrapped = null, wrapped_with = null
  where environment = $1 and key = $2`;

/** The hash that the first of the new entries goes on from; null where it is not there, which its column does not take. */
const PREVIOUS = `(select hash from paysession_ledger.entries
  where environment = $1 and key = $2 and number = $3 - 1 and hash = $${COLUMNS.indexOf('previous') + 1})`;

/** `($1, $2, …), ($12, …)` */
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
