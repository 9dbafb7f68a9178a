import type { ReconciledLine, ReconciliationTotals, Total } from '../../../ledger';
import { printLine, printWarning, type JsonRows } from '../../shared/screen/output';
import { formatTable } from '../../shared/screen/table';

interface ReportOptions {
  readonly json: JsonRows;
  readonly isDry: boolean;
  /** Whether lines of several files are told. */
  readonly hasSeveral: boolean;
}

/** Tells of lines as they come, and of what all come to. */
export interface Report {
  unmatched(file: string, line: ReconciledLine): void;
  end(totals: ReconciliationTotals): void;
}

export const createReport = (options: ReportOptions): Report =>
  options.json.isAsked ? new JsonReport(options) : new TextReport(options);

class JsonReport implements Report {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  unmatched(file: string, { line, reason, detail, key, direction, says }: ReconciledLine): void {
    if (says === undefined) {
      this.#options.json.add({ file, line, reason, detail });
      return;
    }
    const { cents, ...known } = says;
    this.#options.json.add({ file, line, reason, detail, key, direction, ...known, amount: cents / 100 });
  }

  end(totals: ReconciliationTotals): void {
    const value = { ...(this.#options.isDry && { dryRun: true }), ...totals };
    this.#options.json.end({ name: 'unmatched', value });
  }
}

/** So many unmatched lines are shown; a file of another account has nothing else. */
const MOST_SHOWN = 1_000;

class TextReport implements Report {
  readonly #options: ReportOptions;
  readonly #rows: (readonly string[])[] = [];

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  unmatched(file: string, { line, reason, detail = '', says }: ReconciledLine): void {
    if (this.#rows.length === MOST_SHOWN) return;
    const { kind = '', date = '', sessionId, referenceId = '' } = says ?? {};
    this.#rows.push([
      ...(this.#options.hasSeveral ? [file] : []),
      String(line),
      reason ?? '',
      kind,
      date,
      says === undefined ? '' : withCommas((says.cents / 100).toFixed(2)),
      sessionId ?? referenceId,
      detail,
    ]);
  }

  end(totals: ReconciliationTotals): void {
    const { unmatched } = totals;
    if (unmatched > 0) {
      printLine(formatTable(this.#columns(), this.#rows));
      if (unmatched > MOST_SHOWN) printLine(`and ${unmatched - MOST_SHOWN} more: --json prints all`);
      printLine('');
    }
    printLine(formatTable(['', 'LINES', 'DOLLARS'], sums(totals)));
    printLine(`${summary(totals, this.#options.isDry)}.`);
    if (isStrange(totals)) printWarning(STRANGE);
  }

  #columns() {
    const file = this.#options.hasSeveral ? [{ title: 'FILE', narrowed: 'cut' } as const] : [];
    const payment = { title: 'PAYMENT', narrowed: 'cut' } as const;
    const details = { title: 'DETAILS', narrowed: 'wrapped' } as const;
    return [...file, 'LINE', 'NOT MATCHED', 'KIND', 'DATE', 'DOLLARS', payment, details];
  }
}

function sums(totals: ReconciliationTotals) {
  const { settled, returned, settledOut, returnedOut, unmatchedSettled, unmatchedReturned } = totals;
  const row = (title: string, { lines, amount }: Total) => [title, String(lines), withCommas(amount)];
  const hasMoneyOut = settledOut.lines + returnedOut.lines > 0;
  return [
    row('settled', settled),
    row('returned', returned),
    ...(hasMoneyOut ? [row('settled, money out', settledOut), row('returned, money out', returnedOut)] : []),
    row('not matched, settled', unmatchedSettled),
    row('not matched, returned', unmatchedReturned),
  ];
}

function summary(
  { lines, recorded, known, unmatched, reasons }: ReconciliationTotals,
  isDry: boolean,
): string {
  const why = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`);
  const inAll = [
    `${recorded} ${isDry ? 'would be recorded' : 'recorded'}`,
    `${known} recorded before`,
    `${unmatched} not matched${why.length > 0 ? ` (${why.join(', ')})` : ''}`,
  ];
  return `${lines} lines: ${inAll.join(', ')}`;
}

/** The ledger knows none of the payments. */
const isStrange = ({ lines, reasons: { unknown = 0, anotherAccount = 0 } }: ReconciliationTotals): boolean =>
  lines > 0 && unknown + anotherAccount === lines;

const STRANGE =
  'no line is of a session that this ledger has: is it the file of another account, or PAYSESSION_LEDGER_ENVIRONMENT another one?';

const withCommas = (amount: string): string => amount.replace(/\B(?=(\d{3})+[.])/g, ',');
