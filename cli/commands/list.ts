import { Option, type Command } from 'commander';
import type { SessionKind } from '../../src/contract';
import type { SessionFilter, SessionSummary } from '../../src/sessions';
import { withSessions } from '../shared/client';
import { formatState, formatTable, printJsonLine, printLine } from '../shared/output';
import { wholeNumber } from '../shared/parse-arguments';

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

async function list(options: ListOptions): Promise<void> {
  const rows = await withSessions(async (sessions) => {
    const found: SessionSummary[] = [];
    for await (const summary of sessions.list(filterOf(options))) {
      if (found.push(summary) >= options.limit) break;
    }
    return found;
  });
  if (options.json) rows.forEach(printJsonLine);
  else printLine(formatTable(['KEY', 'KIND', 'STATE', 'PAID', 'REFERENCE', 'STARTED'], rows.map(toRow)));
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

function toRow(summary: SessionSummary): string[] {
  const { key, kind = '', paid, referenceId = '', startedAt } = summary;
  return [key, kind, formatListed(summary), paid ? 'yes' : 'no', referenceId, startedAt.toISOString()];
}

/** The state, or that the session failed and what was seen last. */
function formatListed(summary: SessionSummary): string {
  const { outcome, running, status } = summary;
  if (running || outcome === 'ended') return formatState(summary);
  return `${outcome ?? 'ended'}${status === undefined ? '' : ` (${formatState(summary)})`}`;
}
