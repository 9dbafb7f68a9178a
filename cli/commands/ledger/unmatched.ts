import type { Command } from 'commander';
import type { UnmatchedLine } from '../../../ledger';
import type { PersonAndReason } from '../../../ledger/payment-ledger';
import type { ExplainedOutcome } from '../../../ledger/reconciliation/unmatched-lines';
import { SettingsError } from '../../../src/errors';
import { requireDecidedBy } from '../../shared/decisions';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';
import {
  counted,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  oneLine,
  printJson,
  printLine,
  type JsonOption,
  type JsonRowsOptions,
} from '../../shared/output';
import { wholeNumber } from '../../shared/parse-arguments';
import { formatTable, type Column } from '../../shared/table';
import { shortTime } from '../../shared/terminal';

/** Adds the commands for lines of reconciliation files that match no payment. */
export function registerUnmatched(ledger: Command): void {
  ledger
    .command('unmatched')
    .description('list the lines of reconciliation files that match no payment, the newest first')
    .option('--all', 'also lines that a later run has matched or a person has explained')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 100_000), 100)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession ledger unmatched --jsonl')
    .action(printUnmatched);
  const explained = ledger
    .command('explained')
    .description(
      'record the explanation of an unmatched line; the line stops waiting, and its reference is erased',
    )
    .argument('[id]', 'the line’s id, as `paysession ledger unmatched` shows it')
    .option(
      '--run <id>',
      'all waiting lines of this run, for instance of a wrong file; `paysession ledger unmatched --json` shows the id as runId',
    );
  requireDecidedBy(
    explained,
    'name of the person who explains it; stays readable in the ledger',
    'what the line is; stays readable in the ledger: do not name the payor',
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger unmatched' +
        '\n  $ paysession ledger explained 3f9c01d27b64e815 --by avery --reason "an invoice of last year, paid by hand"' +
        '\n  $ paysession ledger explained --run 5b0c1d52-7e0f-4a63-9d1c-2f6f0c8e4b7a --by avery --reason "the file of another shop"',
    )
    .action(recordExplained);
}

interface UnmatchedOptions extends JsonRowsOptions {
  readonly all?: true;
  readonly limit: number;
}

const COLUMNS = [
  'ID',
  { title: 'NOT MATCHED', narrowed: 'wrapped' },
  'KIND',
  'DATE',
  'AMOUNT',
  { title: 'PAYMENT', narrowed: 'cut' },
  { title: 'FILE', narrowed: 'cut' },
  'LINE',
  'KEPT',
] as const satisfies readonly Column[];

/** The maximum number of lines that one query reads. */
const STEP = 500;

async function printUnmatched({ all, limit, ...options }: UnmatchedOptions): Promise<void> {
  const json = jsonRows(options);
  const rows: (readonly string[])[] = [];
  await withLedger(async (ledger) => {
    const { unmatched } = ledger;
    let after: number | undefined;
    let left = limit;
    do {
      const page = await unmatched.page({ size: Math.min(left, STEP), all, after });
      for (const line of page.lines) {
        json.add(toJson(line));
        if (!json.isAsked) rows.push(toRow(line));
      }
      left -= page.lines.length;
      after = page.next;
    } while (after !== undefined && left > 0);
    if (left === limit) await warnOfOtherEnvironments(ledger);
    const totals = await unmatched.totals();
    json.end({ name: 'unmatched', value: totals });
    if (json.isAsked) return;
    if (rows.length > 0) printLine(formatTable(COLUMNS, rows));
    const { count, sums } = totals;
    const parts = sums.map(
      ({ currency, settled, returned }) =>
        `; ${settled} ${currency} settled, ${returned} ${currency} returned`,
    );
    printLine(`${counted(count, 'line')} waiting${parts.join('')}.`);
  });
}

/** Returns a line in the form that `reconcile --json` uses. The amount is a number of dollars. */
const toJson = ({ amount, ...line }: UnmatchedLine): object => ({
  ...line,
  ...(amount !== undefined && { amount: Number(amount) }),
});

function toRow(line: UnmatchedLine): readonly string[] {
  const { id, kind = '', date = '', amount = '', currency, sessionId, referenceId, seenAt } = line;
  return [
    id,
    outcomeOf(line),
    kind,
    date,
    currency === undefined ? amount : `${amount} ${currency}`,
    sessionId ?? referenceId ?? '',
    line.file,
    String(line.line),
    shortTime(seenAt, process.stdout),
  ];
}

/** Returns the reason why a line waits. If the line was matched or explained, returns its payment or its explanation. */
function outcomeOf({ reason, key, by, explanation }: UnmatchedLine): string {
  if (key !== undefined) return `matched with ${key}`;
  return by === undefined ? reason : `explained by ${by}: ${explanation ?? ''}`;
}

interface ExplainedOptions extends JsonOption, PersonAndReason {
  readonly run?: string;
}

const OUTCOMES: Readonly<Record<ExplainedOutcome, string>> = {
  explained: 'recorded as explained',
  alreadyExplained: 'had been explained before',
  alreadyMatched: 'had been matched with a payment before',
};

/**
 * Records the explanation of a line, or of all lines of a run. Throws `SettingsError` if the command line has both an id and a run, or none of them.
 * Throws `PaysessionError` `SESSION_NOT_FOUND` if no line has the id.
 */
async function recordExplained(
  id: string | undefined,
  { run, by, reason, json }: ExplainedOptions,
): Promise<void> {
  if (id !== undefined && run === undefined) {
    const outcome = await withLedger((ledger) => ledger.explainLine(id, { by, reason }));
    if (json) printJson({ id, outcome });
    else printLine(`${id}: ${OUTCOMES[outcome]}`);
    return;
  }
  if (id !== undefined || run === undefined)
    throw new SettingsError([{ path: '--run', message: 'or a line’s id is needed, and not both' }]);
  const explained = await withLedger((ledger) => ledger.explainRun(run, { by, reason }));
  if (json) printJson({ run, explained });
  else printLine(`${oneLine(run)}: ${counted(explained, 'line')} recorded as explained`);
}
