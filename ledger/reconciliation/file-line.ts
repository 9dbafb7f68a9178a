import { isDay } from '../../src/contract/values/day';
import { centsOf, MAXIMUM_AMOUNT } from '../../src/contract/values/money';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import type { ColumnName, FileColumns } from './columns';

/** What a line of a reconciliation file says. */
export interface FileLine {
  readonly kind: LedgerMoney['kind'];
  /** Such as 2026-05-06. */
  readonly date: string;
  readonly cents: number;
  readonly referenceId?: string;
  readonly sessionId?: string;
  readonly currency?: string;
  /** Why it was returned. */
  readonly code?: string;
}

/** Reads the cells of a line; where they cannot be read, a text says why. Pure. */
export function readLine(cells: readonly string[], columns: FileColumns): FileLine | string {
  if (cells.length !== columns.count) return wrongCount(cells.length, columns.count);
  const cellOf = (name: ColumnName): string => {
    const place = columns.places[name];
    return place === undefined ? '' : (cells[place] ?? '').trim();
  };
  const kind = cellOf('kind').toLowerCase();
  const [referenceId, sessionId, code] = [cellOf('reference'), cellOf('session'), cellOf('code')];
  const [date, currency] = [cellOf('date'), cellOf('currency').toUpperCase()];
  const cents = readCents(cellOf('amount'));
  if (referenceId === '' && sessionId === '') return 'it has neither a reference nor a session id';
  // No text of PostgreSQL can hold it.
  if (`${referenceId}${sessionId}`.includes('\0')) return 'it has a NUL character';
  if (kind !== 'settled' && kind !== 'returned') return `"${cellOf('kind')}" is neither settled nor returned`;
  if (cents === undefined)
    return `the amount "${cellOf('amount')}" is no number of dollars such as 1250.50, without a sign and with nothing between thousands`;
  if (!isDay(date)) return `the date "${date}" is no day of the calendar such as 2026-05-06`;
  if (code !== '' && !CODE.test(code)) return 'its code is more than 40 letters, digits, dots and hyphens';
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

/** A code stands in the ledger in plain text: a column of names must not get there. */
const CODE = /^[\w.-]{1,40}$/;

function wrongCount(cells: number, columns: number): string {
  const hint = cells > columns ? ': is there a comma, as between thousands, in a cell without quotes?' : '';
  return `it has ${cells} cells, and the first line has ${columns}${hint}`;
}

function readCents(text: string): number | undefined {
  const [, dollars = '', cents = ''] = /^(\d{1,14})(?:[.](\d{1,2}))?$/.exec(text) ?? [];
  const value = Number(`${dollars}${cents.padEnd(2, '0')}`);
  return dollars !== '' && value > 0 && value <= MAXIMUM_AMOUNT * 100 ? value : undefined;
}

export { centsOf as toCents };

/** Such as 1250.50. */
export function toDecimal(cents: number | bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** What the ledger keeps of a line. */
export function moneyOf({ kind, date, cents, code }: FileLine): LedgerMoney {
  const moved = { at: `${date}T00:00:00.000Z`, amount: cents / 100 };
  if (kind === 'settled') return { kind, ...moved };
  return { kind, ...moved, ...(code !== undefined && { code }) };
}
