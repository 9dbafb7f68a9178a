import { decimalPlaces } from '../../src/contract/values/money';
import type { LedgerSession } from './summary';
import { csvCell } from '../../src/contract/values/text';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A session in an export. Its amount is a decimal text, so that programs that read the export do not round it. */
type ExportedSession = Omit<LedgerSession, 'amount'> & { readonly amount?: string };

/** The columns of an export. Their order never changes. New columns are added at the end. */
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

/** Returns the first line of an export: the titles of a CSV file, or '' for JSON Lines. */
export const headOf = (format: ExportFormat): string => (format === 'csv' ? csvLine(COLUMNS) : '');

/** Returns a session as a line of an export, including the line break. */
export function exportedLine({ amount, ...session }: LedgerSession, format: ExportFormat): string {
  const exported: ExportedSession = {
    ...session,
    ...(amount !== undefined && { amount: decimalOf(amount) }),
  };
  if (format === 'jsonl') return `${JSON.stringify(exported)}\n`;
  return csvLine(COLUMNS.map((name) => cellOf(exported[name])));
}

/** Returns the text of a cell. Metadata are one cell with JSON, because their names differ from merchant to merchant. */
const cellOf = (value: ExportedSession[keyof ExportedSession]): string | undefined =>
  typeof value === 'object' ? JSON.stringify(value) : value?.toString();

/** Returns an amount with two decimals, or with all decimals that the service has reported if there are more. */
const decimalOf = (amount: number): string =>
  decimalPlaces(amount) > 2 ? String(amount) : amount.toFixed(2);

/** Matches characters that a spreadsheet may take for the start of a formula, including their full-width forms. */
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+([.]\d+)?$/;

/**
 * Returns a line of CSV (RFC 4180), including the line break. If a spreadsheet would run a cell as a formula, an apostrophe is added before the
 * cell's text, as OWASP advises. Numbers stay unchanged.
 */
const csvLine = (cells: readonly (string | undefined)[]): string =>
  `${cells.map((cell = '') => csvCell(harmless(cell))).join(',')}\r\n`;

const harmless = (text: string): string =>
  STARTS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
