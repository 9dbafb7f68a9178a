import { InvalidArgumentError, type Command } from 'commander';
import type { ReconciledLine } from '../../ledger';
import type { ReconcileOptions } from '../../ledger/reconciliation/reconcile';
import {
  isStrange,
  ReconciliationTally,
  type ReconciliationTotals,
  type Total,
} from '../../ledger/reconciliation/totals';
import { returnReason } from '../../src/contract/return-codes';
import { EXIT } from '../shared/exit-codes';
import { readText } from '../shared/input-text';
import { warnOfOtherEnvironments, withLedger } from '../shared/ledger';
import {
  counted,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  type JsonRowsOptions,
  printLine,
  printWarning,
  type JsonRows,
} from '../shared/output';
import { explainReturn, remedyOfReturn } from '../shared/session-state';
import { withStatusLine } from '../shared/status-line';
import { formatTable, type Column } from '../shared/table';
import { COLUMN_NAMES, readColumns, type ReconciliationColumns } from '../../ledger/reconciliation/file-line';

export function registerReconcile(program: Command): void {
  program
    .command('reconcile')
    .description(
      'record settlements and returns from the payment service’s reconciliation files; safe to run again',
    )
    .argument(
      '<file...>',
      'CSV files with a line for each payment that has settled or was returned (- reads standard input)',
    )
    .option(
      '--columns <map>',
      `titles of the columns, such as amount=Betrag,date="Tag, Monat": ${COLUMN_NAMES.join(', ')}`,
      columns,
    )
    .option(
      '--delimiter <character>',
      'separator of the cells: a character, or the word tab (default: a comma, or that of a first line such as sep=;)',
      delimiter,
    )
    .option('--account <account>', 'account of the file; sessions of other accounts are not matched')
    .option('--dry-run', 'say what would be recorded, and record nothing')
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession reconcile 2026-05-06.csv --dry-run' +
        '\n  $ paysession reconcile may-*.csv --columns reference=Ref,amount=Amount,date=Date,kind=Type,code=Reason' +
        '\n  $ paysession reconcile may-06.csv --columns \'reference=Ref,amount="Amount, CAD",date=Date,kind=Type\'',
    )
    .action(reconcileFiles);
}

/** Parses the option `--columns`. If the option is repeated, `before` has the earlier columns. */
function columns(text: string, before: ReconciliationColumns = {}): ReconciliationColumns {
  const named = readColumns(text);
  if (named === undefined)
    throw new InvalidArgumentError(
      `must be pairs such as amount=Betrag or amount="Amount, CAD", of ${COLUMN_NAMES.join(', ')}.`,
    );
  return { ...before, ...named };
}

function delimiter(text: string): string {
  const character = text === 'tab' ? '\t' : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  throw new InvalidArgumentError('must be one character, or the word tab.');
}

interface ReconcileCommandOptions
  extends JsonRowsOptions, Pick<ReconcileOptions, 'columns' | 'delimiter' | 'account' | 'dryRun'> {}

/** Reads the files in the given order. If a line or file fails, what was recorded before stays recorded. */
async function reconcileFiles(
  files: readonly string[],
  { columns, delimiter, account, dryRun, ...options }: ReconcileCommandOptions,
): Promise<void> {
  const totals = new ReconciliationTally();
  const json = jsonRows(options);
  const isDry = dryRun === true;
  const report = json.isAsked ? jsonReport(json, isDry) : textReport(isDry, files.length > 1);
  let lines = 0;
  const reconciled = withLedger(async (ledger) => {
    if (isDry) await warnOfOtherEnvironments(ledger);
    await withStatusLine('reading …', async (status) => {
      for (const file of files) {
        const name = file === '-' ? 'standard input' : file;
        const read = ledger.reconcile(readText(file), { columns, delimiter, account, dryRun, name });
        for await (const line of read) {
          totals.add(line);
          if (line.outcome === 'unmatched') report.unmatched(name, line);
          else if (line.outcome === 'recorded') report.recorded(line);
          lines += 1;
          if (lines % 500 === 0) status.show(`${lines} lines, now of ${name}`);
        }
      }
    });
  });
  // The report is printed even if there is an error. The next run would not list the returns that this run has recorded.
  await reconciled.catch((error: unknown) => {
    if (lines > 0) report.end(totals.get());
    throw error;
  });
  const total = totals.get();
  report.end(total);
  if (total.unmatched > 0) process.exitCode = EXIT.someFailed;
}

/** Shows lines as they are read, and the totals at the end. */
interface Report {
  unmatched(file: string, line: ReconciledLine): void;
  recorded(line: ReconciledLine): void;
  end(totals: ReconciliationTotals): void;
}

/** Returns a line in the form in which `--json` prints it: one object that includes the line's content, with the amount in dollars. */
export function flatLine({ says, ...line }: Partial<ReconciledLine>): object {
  if (says === undefined) return line;
  const { cents, ...known } = says;
  return { ...line, ...known, amount: cents / 100 };
}

function jsonReport(json: JsonRows, isDry: boolean): Report {
  const returns: object[] = [];
  return {
    unmatched: (file, { outcome: _outcome, ...line }) => {
      json.add({ file, ...flatLine(line) });
    },
    recorded: ({ key, direction, says }) => {
      if (says?.kind !== 'returned') return;
      const { cents, date, code = '' } = says;
      returns.push({
        key,
        direction,
        date,
        amount: cents / 100,
        ...(code !== '' && { code }),
        advice: returnReason(code)?.advice,
      });
    },
    end: (totals) => {
      json.end({ name: 'unmatched', value: { ...(isDry && { dryRun: true }), ...totals, returns } });
    },
  };
}

/** The maximum number of rows in each table. It is limited, because all lines are unmatched if the file belongs to another account. */
const MOST_SHOWN = 1_000;

const unmatchedColumns = (hasSeveralFiles: boolean): readonly Column[] => [
  hasSeveralFiles && { title: 'FILE', narrowed: 'cut' },
  'LINE',
  'NOT MATCHED',
  'KIND',
  'DATE',
  'DOLLARS',
  { title: 'PAYMENT', narrowed: 'cut' },
  { title: 'DETAILS', narrowed: 'wrapped' },
];

/** The columns of the table of returns: payments whose money came back, as this run has recorded or would record in a dry run. */
const RETURN_COLUMNS = [
  { title: 'CAME BACK', narrowed: 'cut' },
  'DATE',
  'DOLLARS',
  { title: 'WHY', narrowed: 'wrapped' },
  { title: 'WHAT TO DO', narrowed: 'wrapped' },
] as const satisfies readonly Column[];

function textReport(isDry: boolean, hasSeveralFiles: boolean): Report {
  const rows: (readonly string[])[] = [];
  const returns: (readonly string[])[] = [];
  let returned = 0;
  return {
    unmatched: (file, { line, reason, detail = '', says }) => {
      if (rows.length === MOST_SHOWN) return;
      const { kind = '', date = '', sessionId, referenceId = '' } = says ?? {};
      rows.push([
        file,
        String(line),
        reason ?? '',
        kind,
        date,
        says === undefined ? '' : dollars(says.cents),
        sessionId ?? referenceId,
        detail,
      ]);
    },
    recorded: ({ key = '', direction = 'DEBIT', says }) => {
      if (says?.kind !== 'returned') return;
      returned += 1;
      if (returns.length === MOST_SHOWN) return;
      const { code, date, cents } = says;
      returns.push([key, date, dollars(cents), explainReturn(code), remedyOfReturn(code, direction)]);
    },
    end: (totals) => {
      const { unmatched } = totals;
      if (returned > 0) {
        printLine(formatTable(RETURN_COLUMNS, returns));
        if (returned > MOST_SHOWN) printLine(`and ${returned - MOST_SHOWN} more`);
        printLine('');
      }
      if (unmatched > 0) {
        printLine(formatTable(unmatchedColumns(hasSeveralFiles), rows));
        if (unmatched > MOST_SHOWN) printLine(`and ${unmatched - MOST_SHOWN} more: --json prints all`);
        printLine('');
      }
      printLine(formatTable(['', 'LINES', 'DOLLARS'], sums(totals)));
      printLine(`${summary(totals, isDry)}.`);
      if (isStrange(totals)) printWarning(STRANGE);
    },
  };
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
  return `${counted(lines, 'line')}: ${inAll.join(', ')}`;
}

const STRANGE =
  'no line belongs to a session of this ledger (with --account, of that account). Is the file of another account, or is PAYSESSION_LEDGER_ENVIRONMENT not set as it is for the workers?';

const dollars = (cents: number): string => withCommas((cents / 100).toFixed(2));

const withCommas = (amount: string): string => amount.replace(/\B(?=(\d{3})+[.])/g, ',');
