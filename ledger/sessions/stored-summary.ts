import type { Metadata } from '../../src/protocol/metadata';
import { isoOf, storable, type Value } from '../postgres/database';
import { isListedOf } from '../stored-fact';
import type { ClaimSummary, LedgerSession } from './summary';

/**
 * The columns of the table of claims: the member that each stores, and the type of a column that is not a text, as a cast. In a statement
 * with several rows, PostgreSQL would otherwise take each parameter for a text.
 */
const MEMBERS = {
  claim: ['claim', '::integer'],
  first_run_id: ['firstRunId', ''],
  stands: ['stands', '::boolean'],
  listed: ['listed', '::boolean'],
  kind: ['kind', ''],
  direction: ['direction', ''],
  account: ['account', ''],
  outcome: ['outcome', ''],
  status: ['status', ''],
  code: ['code', ''],
  failure: ['failure', ''],
  paid: ['paid', '::boolean'],
  amount: ['amount', '::numeric'],
  currency: ['currency', ''],
  reference_id: ['referenceId', ''],
  session_id: ['sessionId', ''],
  claimed_at: ['claimedAt', '::timestamptz'],
  ended_at: ['endedAt', '::timestamptz'],
  settled_at: ['settledAt', '::timestamptz'],
  returned_at: ['returnedAt', '::timestamptz'],
  return_code: ['returnCode', ''],
  handled_at: ['handledAt', '::timestamptz'],
  money: ['money', ''],
  parked: ['parked', '::boolean'],
  may_be_paid: ['mayBePaid', '::boolean'],
  fits_any_amount: ['fitsAnyAmount', '::boolean'],
  paid_after: ['paidAfter', '::timestamptz'],
  trimmed_reference: ['trimmedReference', ''],
  metadata: ['metadata', '::jsonb'],
  metadata_salt: ['metadataSalt', ''],
} as const satisfies Readonly<Record<string, readonly [member: keyof ClaimSummary, cast: string]>>;

type Column = keyof typeof MEMBERS;
const COLUMNS = Object.keys(MEMBERS) as Column[];

/** The columns of a summary, for a statement that reads them from `s`. */
export const SUMMARY_COLUMNS = ['key', ...COLUMNS].map((name) => `s.${name}`).join(', ');

/** A row of the table of claims, as the driver returns it. */
export type SummaryRow = Readonly<Record<Column, Stored | Date | Metadata>> & {
  readonly key: string;
};

/** A value as it is stored. Metadata are stored as JSON. */
type Stored = string | number | boolean | null;

/** The required texts that a session may lack if another SDK has started it. They are stored as empty texts, so that lists show the session. */
const ASKED: ReadonlySet<Column> = new Set(['direction', 'account', 'currency']);

/** Returns a member as it is stored. */
function valueOf(summary: ClaimSummary, column: Column): Stored {
  if (column === 'metadata') return summary.metadata === undefined ? null : JSON.stringify(summary.metadata);
  const value = summary[MEMBERS[column][0]];
  if (column === 'parked') return value === true;
  return typeof value === 'string' ? storable(value) : (value ?? (ASKED.has(column) ? '' : null));
}

/** Returns the row of a summary, by column. */
export const rowOf = (summary: ClaimSummary): Readonly<Record<string, Stored>> =>
  Object.fromEntries(COLUMNS.map((column) => [column, valueOf(summary, column)]));

/**
 * Returns the statement that writes summaries of a key in their order: a summary that gives up its place or session must come first. Parameters
 * are numbered from `from` + 1. The environment is `$1` and the key `$2`.
 */
export function summaryWriting(
  summaries: readonly ClaimSummary[],
  from: number,
): { readonly sql: string; readonly values: readonly Value[] } {
  const values = summaries.flatMap((summary) => COLUMNS.map((column) => textOf(valueOf(summary, column))));
  const rows = summaries.map(
    (_summary, row) =>
      `($1, $2, ${COLUMNS.map((column, place) => `$${from + row * COLUMNS.length + place + 1}${MEMBERS[column][1]}`).join(', ')})`,
  );
  return {
    sql: `insert into paysession_ledger.claims (environment, key, ${COLUMNS.join(', ')}) values ${rows.join(', ')}
      on conflict (environment, key, claim) do update set ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    values,
  };
}

const textOf = (value: Stored): Value => (value === null ? null : String(value));

/** All columns of a summary as texts, for a verification. The driver would round amounts, and drop the microseconds of times. */
export const SUMMARY_TEXTS = ['environment', 'key', ...COLUMNS]
  .map((name) => (name === 'amount' ? 'trim_scale(s.amount)::text as amount' : `s.${name}::text`))
  .join(', ');

/** A row of the table of claims as texts. */
export type SummaryTexts = Readonly<Record<Exclude<Column, 'claim'>, string | null>> &
  Readonly<Record<'environment' | 'key' | 'claim', string>>;

/** True if a row equals a summary in each column. The metadata are compared with their hash, since no entry has them in plain text. */
export function isStoredAs(row: SummaryTexts, summary: ClaimSummary): boolean {
  return (
    isProven(row, summary) &&
    COLUMNS.every((column) => PROVEN.has(column) || isSame(column, row[column], valueOf(summary, column)))
  );
}

/** The columns that a hash in the entry proves. */
const PROVEN: ReadonlySet<Column> = new Set(['metadata', 'metadata_salt']);

function isProven({ metadata, metadata_salt: metadataSalt }: SummaryTexts, summary: ClaimSummary): boolean {
  const { metadataProof } = summary;
  if (metadata === null || metadataSalt === null)
    return metadata === metadataSalt && metadataProof === undefined;
  return isListedOf(summary, { metadata: JSON.parse(metadata) as Metadata, metadataSalt });
}

function isSame(column: Column, stored: string | null, value: Stored): boolean {
  if (stored === null || value === null) return stored === value;
  if (MEMBERS[column][1] === '::timestamptz') return isoOf(stored) === value;
  // PostgreSQL writes all digits of a number that JavaScript shortens, such as 1e-7.
  if (typeof value === 'number')
    return stored === String(value) || (/e/.test(String(value)) && Number(stored) === value);
  return stored === String(value);
}

function readValue(column: Column, value: SummaryRow[Column]): Stored | Metadata {
  if (value instanceof Date) return value.toISOString();
  return column === 'amount' && value !== null ? Number(value) : value;
}

/** Returns a summary as a list shows it. Unknown members are absent. */
export const sessionOf = (row: SummaryRow): LedgerSession =>
  readRow(
    row,
    COLUMNS.filter((column) => !HIDDEN.has(column)),
  ) as LedgerSession;

/** Returns a whole summary. */
export const summaryOf = (row: SummaryRow): ClaimSummary & { readonly key: string } =>
  readRow(row, COLUMNS) as ClaimSummary & { readonly key: string };

function readRow(row: SummaryRow, columns: readonly Column[]): object {
  const members = columns
    .map((column) => [MEMBERS[column][0], readValue(column, row[column])] as const)
    .filter(([name, value]) => value !== null && !(name === 'parked' && value === false));
  return { key: row.key, ...Object.fromEntries(members) };
}

const HIDDEN: ReadonlySet<Column> = new Set([
  'stands',
  'listed',
  'may_be_paid',
  'fits_any_amount',
  'paid_after',
  'trimmed_reference',
  'metadata_salt',
]);
