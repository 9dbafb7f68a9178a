import { decimalPlaces } from '../../src/contract/values/money';
import type { LedgerSession } from './summary';
import { csvCell } from '../../src/contract/values/text';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A session as it is exported. Its amount is a decimal text, which no reader rounds. */
type ExportedSession = Omit<LedgerSession, 'amount'> & { readonly amount?: string };

/** The columns. Their order never changes: new columns are appended. */
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
  'metadata',
] as const satisfies readonly (keyof ExportedSession)[];

/** Returns the text before the first session. */
export const headOf = (format: ExportFormat): string => (format === 'csv' ? csvLine(COLUMNS) : '');

/** Returns a session as a line of the format, with its line break. */
export function exportedLine({ amount, ...session }: LedgerSession, format: ExportFormat): string {
  const exported: ExportedSession = {
    ...session,
    ...(amount !== undefined && { amount: decimalOf(amount) }),
  };
  if (format === 'jsonl') return `${JSON.stringify(exported)}\n`;
  return csvLine(COLUMNS.map((name) => cellOf(exported[name])));
}

/** Metadata are one cell of JSON, because each merchant has other names. */
const cellOf = (value: ExportedSession[keyof ExportedSession]): string | undefined =>
  typeof value === 'object' ? JSON.stringify(value) : value?.toString();

/** Returns an amount with two decimals, or with all decimals that the service has reported if there are more. */
const decimalOf = (amount: number): string =>
  decimalPlaces(amount) > 2 ? String(amount) : amount.toFixed(2);

/** The characters that a spreadsheet may take for the start of a formula, also in full width. */
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+([.]\d+)?$/;

/**
 * Returns a line by RFC 4180, with its line break. A cell that a spreadsheet would run as a formula gets an apostrophe before it, as OWASP
 * advises. Numbers stay unchanged.
 */
const csvLine = (cells: readonly (string | undefined)[]): string =>
  `${cells.map((cell = '') => csvCell(harmless(cell))).join(',')}\r\n`;

const harmless = (text: string): string =>
  STARTS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
