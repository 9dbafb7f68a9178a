import type { Metadata } from '../../src/protocol/metadata';
import { isoOf, storable, type Value } from '../postgres/database';
import { isListedOf } from '../stored-fact';
import type { ClaimSummary, LedgerSession } from './summary';

/**
 * The columns of the table of claims. For each column: the summary's member, and an SQL cast if the column is not a text. Without the cast,
 * PostgreSQL would take each parameter for a text in a statement with several rows.
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

/** The list of columns for a statement that reads summaries from a table named `s`. */
export const SUMMARY_COLUMNS = ['key', ...COLUMNS].map((name) => `s.${name}`).join(', ');

/** A row of the table of claims, as the driver returns it. */
export type SummaryRow = Readonly<Record<Column, Stored | Date | Metadata>> & {
  readonly key: string;
};

/** A value as it is stored. Metadata are stored as JSON. */
type Stored = string | number | boolean | null;

/**
 * Columns for required members of a request. A session may lack one if another SDK has started the session with an invalid input. The column
 * then has an empty text, so that lists still show the session.
 */
const ASKED: ReadonlySet<Column> = new Set(['direction', 'account', 'currency']);

/** Returns the value of a column for a summary. */
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
 * Returns the statement that writes summaries of a key, in the given order. If a claim gives up the key or its session, its summary must come
 * first. The environment is `$1` and the key is `$2`. Other parameters are numbered from `from` + 1.
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

/** The list of columns as texts, for a verification. Without the casts, the driver would round amounts and drop the microseconds of times. */
export const SUMMARY_TEXTS = ['environment', 'key', ...COLUMNS]
  .map((name) => (name === 'amount' ? 'trim_scale(s.amount)::text as amount' : `s.${name}::text`))
  .join(', ');

/** A row of the table of claims, with all columns as texts. */
export type SummaryTexts = Readonly<Record<Exclude<Column, 'claim'>, string | null>> &
  Readonly<Record<'environment' | 'key' | 'claim', string>>;

/** True if a row equals a summary in all columns. Metadata are compared with their hash, because entries do not have them in plain text. */
export function isStoredAs(row: SummaryTexts, summary: ClaimSummary): boolean {
  return (
    isProven(row, summary) &&
    COLUMNS.every((column) => PROVEN.has(column) || isSame(column, row[column], valueOf(summary, column)))
  );
}

/** The columns that are compared with a hash in the entry. */
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
  // JavaScript writes some numbers in a short form, such as 1e-7. PostgreSQL writes all digits of such a number.
  if (typeof value === 'number')
    return stored === String(value) || (/e/.test(String(value)) && Number(stored) === value);
  return stored === String(value);
}

function readValue(column: Column, value: SummaryRow[Column]): Stored | Metadata {
  if (value instanceof Date) return value.toISOString();
  return column === 'amount' && value !== null ? Number(value) : value;
}

/** Converts a row to a session as lists show it. Members that are null in the row are absent. */
export const sessionOf = (row: SummaryRow): LedgerSession =>
  readRow(
    row,
    COLUMNS.filter((column) => !HIDDEN.has(column)),
  ) as LedgerSession;

/** Converts a row to a complete summary. */
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
