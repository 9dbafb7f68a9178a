import { isDay } from '../../src/contract/values/day';
import { MAXIMUM_AMOUNT } from '../../src/contract/values/money';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import { PaysessionError } from '../../src/errors';

/** The titles of a reconciliation file's columns. Upper and lower case make no difference. */
export interface ReconciliationColumns {
  /** The column with the reference of the session's request. @default 'reference' */
  readonly reference?: string;
  /** The column with the payment service's id of the session. @default 'session' */
  readonly session?: string;
  /** The column with the amount in dollars, such as 1250.50. @default 'amount' */
  readonly amount?: string;
  /** The column with the currency, such as CAD. @default 'currency' */
  readonly currency?: string;
  /** The column with the day, such as 2026-05-06. @default 'date' */
  readonly date?: string;
  /** The column with the kind of line: `settled` or `returned`. @default 'kind' */
  readonly kind?: string;
  /** The column with the code that says why money came back. @default 'code' */
  readonly code?: string;
}

export type ColumnName = keyof ReconciliationColumns;

/** The names of all members of {@link ReconciliationColumns}. */
export const COLUMN_NAMES = [
  'reference',
  'session',
  'amount',
  'currency',
  'date',
  'kind',
  'code',
] as const satisfies readonly ColumnName[];

/**
 * Parses the titles of columns from a text such as `amount=Betrag,date="Tag, Monat"`. A title with a comma must be in double quotes. A double
 * quote within such a title is written twice. Returns `undefined` if the text cannot be parsed. Pure.
 */
export function readColumns(text: string): ReconciliationColumns | undefined {
  const named: Partial<Record<ColumnName, string>> = {};
  const pair = /\s*([^=,]*?)\s*=\s*(?:"((?:[^"]|"")*)"\s*|([^",][^,]*))(?:,|$)/y;
  do {
    const [, name, quoted, plain = ''] = pair.exec(text) ?? [];
    const known = COLUMN_NAMES.find((column) => column === name);
    const title = (quoted?.replaceAll('""', '"') ?? plain).trim();
    if (known === undefined || title === '') return undefined;
    named[known] = title;
  } while (pair.lastIndex < text.length);
  return named;
}

/** The columns that a file must have. In addition, it needs `reference` or `session`. */
const NEEDED: readonly ColumnName[] = ['amount', 'date', 'kind'];

/** The positions of the columns in a row. */
export interface FileColumns {
  /** The number of columns up to the last column with a title. */
  readonly count: number;
  readonly places: Readonly<Partial<Record<ColumnName, number>>>;
}

/** A row of a CSV file. The titles are a row, too. */
export interface CsvRow {
  /** The number of the file's line on which the row ends. The first line has the number 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Finds the columns in the row of titles.
 *
 * @throws {@link PaysessionError} `INVALID_FILE` if columns are missing or occur twice. The message names these columns. It quotes nothing from
 * the file, because the file may be a wrong one, such as a file of secrets
 */
export function findColumns(
  { line, cells }: CsvRow,
  named: ReconciliationColumns,
  file: string,
): FileColumns {
  const names = cells.map((name) => name.trim());
  const problems: string[] = [];
  const places: Partial<Record<ColumnName, number>> = {};
  for (const column of COLUMN_NAMES) {
    const wanted = named[column] ?? column;
    const found = names.flatMap((name, place) => (isSame(name, wanted) ? [place] : []));
    const [place] = found;
    if (found.length > 1) problems.push(`two columns are named "${wanted}"`);
    else if (place !== undefined) places[column] = place;
    else if (named[column] !== undefined || NEEDED.includes(column))
      problems.push(`there is no column "${wanted}" for the ${column}`);
  }
  if (places.reference === undefined && places.session === undefined && problems.length === 0)
    problems.push('there is neither a column "reference" nor a column "session": one must name the payment');
  if (problems.length > 0) throw invalidFile(file, `${problems.join('; ')}. ${adviceFor(names, line)}`);
  return { count: names.findLastIndex((name) => name !== '') + 1, places };
}

const isSame = (one: string, other: string): boolean => plainTitle(one) === plainTitle(other);

/** Normalizes a title, because a title may be broken into two lines, and an accent may be written as one character or as two. */
const plainTitle = (title: string): string => title.trim().replace(/\s+/g, ' ').normalize().toLowerCase();

function adviceFor(names: readonly string[], line: number): string {
  const [only = ''] = names;
  const delimiter = /[;\t|]/.exec(only)?.[0];
  if (names.length === 1 && delimiter !== undefined)
    return `Line ${line} has one title: if ${NAMES[delimiter] ?? delimiter} is between its cells, say so (--delimiter).`;
  const titles = names.filter((name) => name !== '');
  const count = titles.length === 1 ? 'one title' : `${titles.length} titles`;
  const example = titles.some((title) => title.includes(',')) ? `'amount="NAME, WITH COMMA"'` : 'amount=NAME';
  return `Line ${line} has ${count}, and must name the columns: say which one has what, such as --columns ${example},date=NAME.`;
}

const NAMES: Readonly<Record<string, string>> = { ';': 'a semicolon', '\t': 'a tab', '|': 'a bar' };

/** Returns the error `INVALID_FILE` for a file of which no line was used. */
export function invalidFile(file: string, why: string): PaysessionError {
  return new PaysessionError('INVALID_FILE', `Nothing was taken from ${file}: ${why}`);
}

/** The content of a line of a reconciliation file. */
export interface FileLine {
  readonly kind: LedgerMoney['kind'];
  /** The day, such as 2026-05-06. */
  readonly date: string;
  /** The amount, in cents. */
  readonly cents: number;
  readonly referenceId?: string;
  readonly sessionId?: string;
  readonly currency?: string;
  /** The code that says why money came back. */
  readonly code?: string;
}

/** Matches the label of a total. `SUM` matches its amount. */
const TOTAL = /^(?:grand |sub-?|sous-)?(?:totals?|totaux|sum|somme)\b/i;
const SUM = /^[-$\s]*\d[\d\s.,]*[$\s]*$/;

/**
 * True if a line is not about a payment, such as the total at the end of a spreadsheet. Such a line has no reference, session, kind and day,
 * and no cell that could be one of these in a wrong column. Pure.
 */
export function hasNoPayment(cells: readonly string[], columns: FileColumns): boolean {
  const own = (['reference', 'session', 'kind', 'date'] as const).map((name) =>
    readCell(name, cells, columns),
  );
  const isEmptyOrTotal = (cell: string): boolean => cell === '' || TOTAL.test(cell);
  return own.every(isEmptyOrTotal) && cells.every((cell) => isEmptyOrTotal(cell.trim()) || SUM.test(cell));
}

/** Reads the cells of a line. If they cannot be read, returns the reason as a text. Pure. */
export function readLine(cells: readonly string[], columns: FileColumns): FileLine | string {
  if (isOfAnotherCount(cells, columns)) return wrongCount(cells.length, columns.count);
  const cellOf = (name: ColumnName): string => readCell(name, cells, columns);
  const kind = cellOf('kind').toLowerCase();
  const [sessionId, code] = [cellOf('session'), cellOf('code')];
  // The reference is not trimmed, because two references may differ only in their spaces.
  const referenceId = cellOf('reference') === '' ? '' : (cells[columns.places.reference ?? -1] ?? '');
  const [date, currency] = [cellOf('date'), cellOf('currency').toUpperCase()];
  const cents = readCents(cellOf('amount'));
  if (referenceId === '' && sessionId === '') return 'it has neither a reference nor a session id';
  // PostgreSQL cannot store this character in a text.
  if (`${referenceId}${sessionId}`.includes('\0')) return 'it has a NUL character';
  if (kind !== 'settled' && kind !== 'returned') return `"${cellOf('kind')}" is neither settled nor returned`;
  if (cents === undefined)
    return `the amount "${cellOf('amount')}" is not a number of dollars such as 1250.50, without a sign and without a separator of thousands`;
  if (!isDay(date)) return `the date "${date}" is not a day of the calendar such as 2026-05-06`;
  if (currency !== '' && !CURRENCY.test(currency)) return 'its currency is not three letters such as CAD';
  if (code !== '' && !CODE.test(code))
    return 'its code is not 1 to 40 letters, digits, dots, hyphens and underscores';
  return {
    kind,
    date,
    cents,
    ...(referenceId !== '' && { referenceId }),
    ...(sessionId !== '' && { sessionId }),
    ...(currency !== '' && { currency }),
    ...(kind === 'returned' && code !== '' && { code }),
  };
}

/** Matches a currency. */
const CURRENCY = /^[A-Z]{3}$/;

/** Matches a code. Codes and currencies are stored in plain text, so neither may contain a space, as a person's full name does. */
const CODE = /^[\w.-]{1,40}$/;

function readCell(name: ColumnName, cells: readonly string[], { places }: FileColumns): string {
  const place = places[name];
  return place === undefined ? '' : (cells[place] ?? '').trim();
}

/**
 * True if a row has more or fewer cells than the row of titles. Additional empty cells at its end do not count. But they do count if a comma
 * between thousands, such as in 1,250.50, has split the amount into two cells.
 */
function isOfAnotherCount(cells: readonly string[], { count, places }: FileColumns): boolean {
  if (cells.length <= count) return cells.length < count;
  const [amount = '', next = ''] = cells.slice(places.amount);
  const isDivided = /^\d{1,3}$/.test(amount.trim()) && /^\d{3}(?:[.]\d+)?$/.test(next.trim());
  return isDivided || cells.slice(count).some((cell) => cell.trim() !== '');
}

function wrongCount(cells: number, columns: number): string {
  const hint = cells > columns ? ': is there a comma, as between thousands, in a cell without quotes?' : '';
  return `it has ${cells} cells, and the line of titles has ${columns}${hint}`;
}

function readCents(text: string): number | undefined {
  const [, dollars = '', cents = ''] = /^(\d{1,14})(?:[.](\d{1,2}))?$/.exec(text) ?? [];
  const value = Number(`${dollars}${cents.padEnd(2, '0')}`);
  return dollars !== '' && value > 0 && value <= MAXIMUM_AMOUNT * 100 ? value : undefined;
}

/** Converts cents to dollars, such as 1250.50. */
export function toDecimal(cents: number | bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns the fact that the ledger records for a line. */
export function moneyOf({ kind, date, cents, code, referenceId, sessionId }: FileLine): LedgerMoney {
  const isNamed = sessionId === undefined && referenceId !== undefined;
  const moved = { at: `${date}T00:00:00.000Z`, amount: cents / 100, ...(isNamed && { referenceId }) };
  if (kind === 'settled') return { kind, ...moved };
  return { kind, ...moved, ...(code !== undefined && { code }) };
}
