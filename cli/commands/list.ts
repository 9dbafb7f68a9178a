import { Option, type Command } from 'commander';
import type { SessionKind } from '../../src/contract';
import type { SessionFilter, SessionSummary } from '../../src/sessions';
import { withSessions } from '../shared/client';
import { formatState, printJsonLine, printLine } from '../shared/output';
import { wholeNumber } from '../shared/parse-arguments';
import { stateCell, styleOf } from '../shared/styled-state';
import { formatTable, type Cell, type Column } from '../shared/table';
import { colorsOf } from '../shared/terminal';
import { shortTime } from '../shared/time';

interface ListOptions {
  readonly status?: string;
  readonly code?: string;
  readonly kind?: SessionKind;
  readonly reference?: string;
  readonly running?: true;
  readonly ended?: true;
  readonly limit: number;
  readonly json?: true;
}

export function registerList(program: Command): void {
  program
    .command('list')
    .description('list sessions, newest first')
    .option('--status <status>', 'only this status, for instance Completed')
    .option('--code <code>', 'only this detail code, for instance EFT0302')
    .addOption(new Option('--kind <kind>', 'only this kind').choices(['EFT', 'GEFT', 'e-Transfer']))
    .option('--reference <referenceId>', 'only this reference')
    .option('--running', 'only sessions that have not ended')
    .option('--ended', 'only sessions that have ended')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 100_000), 100)
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', '\nExample:\n  $ paysession list --status Completed --json')
    .action(list);
}

const COLUMNS: readonly Column[] = [
  'KEY',
  'KIND',
  'STATE',
  'PAID',
  { title: 'REFERENCE', narrowed: 'cut' },
  'STARTED',
];

async function list(options: ListOptions): Promise<void> {
  const rows = await withSessions(async (sessions) => {
    const found: SessionSummary[] = [];
    for await (const summary of sessions.list(filterOf(options))) {
      if (found.push(summary) >= options.limit) break;
    }
    return found;
  });
  if (options.json) rows.forEach(printJsonLine);
  else if (rows.length === 0 && process.stdout.isTTY) printLine('No sessions.');
  else printLine(formatTable(COLUMNS, rows.map(toRow)));
}

function filterOf({ status, code, kind, reference, running, ended }: ListOptions): SessionFilter {
  return {
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(kind !== undefined && { kind }),
    ...(reference !== undefined && { referenceId: reference }),
    ...(running && { running: true }),
    ...(ended && { running: false }),
  };
}

function toRow(summary: SessionSummary): readonly Cell[] {
  const { key, kind = '', paid, referenceId = '', startedAt } = summary;
  const paidCell = { text: paid ? 'yes' : 'no', style: styleOf(summary) };
  return [key, kind, listedState(summary), paidCell, referenceId, shortTime(startedAt, process.stdout)];
}

/** The state, or that the session failed and what was seen last. */
function listedState(summary: SessionSummary): Cell {
  const { outcome, running, status } = summary;
  if (running || outcome === 'ended') return stateCell(summary);
  const text = `${outcome ?? 'ended'}${status === undefined ? '' : ` (${formatState(summary)})`}`;
  return { text, style: colorsOf(process.stdout).red };
}
