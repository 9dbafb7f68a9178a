import type { Command } from 'commander';
import type { LineExplanation, UnmatchedLine } from '../../../ledger';
import { requireDecidedBy } from '../../shared/decisions';
import { withLedger } from '../../shared/ledger';
import {
  counted,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  printJson,
  printLine,
  type JsonOption,
  type JsonRowsOptions,
} from '../../shared/output';
import { wholeNumber } from '../../shared/parse-arguments';
import { formatTable, type Column } from '../../shared/table';
import { shortTime } from '../../shared/terminal';

/** The commands for lines of reconciliation files that no payment matches. */
export function registerUnmatched(ledger: Command): void {
  ledger
    .command('unmatched')
    .description('list the lines of reconciliation files that no payment matches, the newest first')
    .option('--all', 'also lines that a later run has matched or a person has explained')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 100_000), 100)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession ledger unmatched --jsonl')
    .action(printUnmatched);
  const explained = ledger
    .command('explained')
    .description(
      'record what a line is that no payment matches: it no longer waits, and its reference is erased',
    )
    .argument('<id>', 'the line’s id, as `paysession ledger unmatched` shows it');
  requireDecidedBy(
    explained,
    'who says so; stays readable in the ledger',
    'what the line is; stays readable in the ledger: do not name the payor',
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger unmatched' +
        '\n  $ paysession ledger explained 3f9c01d27b64e815 --by avery --reason "an invoice of last year, paid by hand"',
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
  'DOLLARS',
  { title: 'PAYMENT', narrowed: 'cut' },
  { title: 'FILE', narrowed: 'cut' },
  'LINE',
  'KEPT',
] as const satisfies readonly Column[];

/** The number of lines that one step reads. */
const STEP = 500;

async function printUnmatched({ all, limit, ...options }: UnmatchedOptions): Promise<void> {
  const json = jsonRows(options);
  const rows: (readonly string[])[] = [];
  await withLedger(async ({ unmatched }) => {
    let after: number | undefined;
    let left = limit;
    do {
      const page = await unmatched.page({ size: Math.min(left, STEP), all, after });
      for (const line of page.lines) {
        json.add(line);
        if (!json.isAsked) rows.push(toRow(line));
      }
      left -= page.lines.length;
      after = page.next;
    } while (after !== undefined && left > 0);
    const totals = await unmatched.totals();
    json.end({ name: 'unmatched', value: totals });
    if (json.isAsked) return;
    if (rows.length > 0) printLine(formatTable(COLUMNS, rows));
    const { count, settled, returned } = totals;
    printLine(`${counted(count, 'line')} waiting: ${settled} settled, ${returned} returned.`);
  });
}

function toRow(line: UnmatchedLine): readonly string[] {
  const { id, kind = '', day = '', amount = '', sessionId, referenceId, seenAt } = line;
  return [
    id,
    outcomeOf(line),
    kind,
    day,
    amount,
    sessionId ?? referenceId ?? '',
    line.file,
    String(line.line),
    shortTime(seenAt, process.stdout),
  ];
}

/** Returns why a line waits, or what became of it. */
function outcomeOf({ reason, key, by, explanation }: UnmatchedLine): string {
  if (key !== undefined) return `matched with ${key}`;
  return by === undefined ? reason : `explained by ${by}: ${explanation ?? ''}`;
}

interface ExplainedOptions extends JsonOption, LineExplanation {}

/** Throws `PaysessionError` `INVALID_INPUT` if there is no such line. */
async function recordExplained(id: string, { by, reason, json }: ExplainedOptions): Promise<void> {
  const isDone = await withLedger((ledger) => ledger.explainLine(id, { by, reason }));
  if (json) printJson({ id, outcome: isDone ? 'explained' : 'alreadyExplained' });
  else printLine(`${id}: ${isDone ? 'recorded as explained' : 'had been explained or matched before'}`);
}
