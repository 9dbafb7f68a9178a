import { decimalPlaces } from '../../src/contract/values/money';
import type { LedgerSession } from './summary';
import { csvCell } from '../../src/contract/values/text';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A session as it is exported: an amount is a decimal text, which no reader rounds. */
type ExportedSession = Omit<LedgerSession, 'amount'> & { readonly amount?: string };

/** In this order, which stays: new ones come behind. */
const COLUMNS = [
  'key',
  'kind',
  'account',
  'outcome',
  'status',
  'code',
  'failure',
  'paid',
  'amount',
  'currency',
  'referenceId',
  'claimedAt',
  'endedAt',
  'settledAt',
  'returnedAt',
  'returnCode',
  'sessionId',
  'money',
  'parked',
  'direction',
  'claim',
  'firstRunId',
  'handledAt',
] as const satisfies readonly (keyof ExportedSession)[];

/** What stands before the first session. */
export const headOf = (format: ExportFormat): string => (format === 'csv' ? csvLine(COLUMNS) : '');

/** A session on a line of the format, with its end. */
export function exportedLine({ amount, ...session }: LedgerSession, format: ExportFormat): string {
  const exported: ExportedSession = {
    ...session,
    ...(amount !== undefined && { amount: decimalOf(amount) }),
  };
  if (format === 'jsonl') return `${JSON.stringify(exported)}\n`;
  return csvLine(COLUMNS.map((name) => exported[name]?.toString()));
}

/** With cents; what a service has reported besides is not rounded away. */
const decimalOf = (amount: number): string =>
  decimalPlaces(amount) > 2 ? String(amount) : amount.toFixed(2);

/** What a spreadsheet may take for the start of a formula, in full width, too. */
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+([.]\d+)?$/;

/**
 * A line by RFC 4180, with its end. A cell that a spreadsheet would run as a formula gets an apostrophe before it, as OWASP advises; numbers
 * stay as they are.
 */
const csvLine = (cells: readonly (string | undefined)[]): string =>
  `${cells.map((cell = '') => csvCell(harmless(cell))).join(',')}\r\n`;

const harmless = (text: string): string =>
  STARTS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
