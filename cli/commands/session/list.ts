import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  isSessionStatus,
  SESSION_CODES,
  SESSION_STATUSES,
  SESSION_KINDS,
} from '../../../src/contract/statuses';
import { isErrorCode, type ErrorCode } from '../../../src/errors';
import { isSessionProblem, PROBLEMS, type SessionProblem } from '../../../src/protocol/state/problems';
import { SESSION_PHASES } from '../../../src/protocol/state/recorded';
import type { SessionFilter, SessionSummary } from '../../../src/sessions';
import {
  formatMoney,
  formatState,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  oneLine,
  printLine,
  type JsonRowsOptions,
} from '../../shared/output';
import {
  pastTime,
  soughtMetadata,
  suggesting,
  time,
  wholeNumber,
  withMetadataOptions,
  type MetadataOptions,
} from '../../shared/parse-arguments';
import { stateCell, styleOf } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { formatTable, type Cell, type StyledCell } from '../../shared/table';
import { colorsOf, shortTime } from '../../shared/terminal';
import { nearest } from '../../../src/contract/values/text';

/** The conditions of a filter that the command's options set. Option and condition have the same name. */
const CONDITIONS = [
  'status',
  'code',
  'kind',
  'account',
  'phase',
  'problem',
  'startedAfter',
  'startedBefore',
  'endedAfter',
] as const satisfies readonly (keyof SessionFilter)[];

interface ListOptions
  extends JsonRowsOptions, MetadataOptions, Pick<SessionFilter, (typeof CONDITIONS)[number]> {
  readonly code?: string;
  readonly reference?: string;
  readonly running?: true;
  readonly ended?: true;
  readonly limit: number;
}

const CODES = Object.keys(SESSION_CODES);
const PROBLEM_NAMES = Object.keys(PROBLEMS).join(', ');

export function registerList(program: Command): void {
  withMetadataOptions(program.command('list').description('list sessions, newest first'))
    .addOption(
      suggesting(
        new Option('--status <status>', 'only this status, for instance Completed'),
        SESSION_STATUSES,
      ),
    )
    .addOption(suggesting(new Option('--code <code>', 'only this detail code, for instance EFT0302'), CODES))
    .addOption(new Option('--kind <kind>', 'only this kind').choices(SESSION_KINDS))
    .option('--reference <referenceId>', 'only this reference')
    .option('--account <account>', 'only this account; sessions started without one have the account default')
    .addOption(new Option('--phase <phase>', 'only this phase').choices(SESSION_PHASES))
    .addOption(
      suggesting(
        new Option(
          '--problem <problem>',
          `only this problem: ${PROBLEM_NAMES}, or the error code of a failed session`,
        ).argParser(problem),
        Object.keys(PROBLEMS),
      ),
    )
    .option(
      '--started-after <time>',
      'only sessions whose current run started after this time (ISO 8601), or within this age, such as 90m',
      pastTime,
    )
    .option(
      '--started-before <time>',
      'only sessions whose current run started before this time, or longer ago than this age',
      time,
    )
    .option('--ended-after <time>', 'only sessions that ended after this time, or within this age', pastTime)
    .addOption(new Option('--running', 'only sessions that have not ended').conflicts('ended'))
    .option('--ended', 'only sessions that have ended')
    .option('--limit <n>', 'show at most this many sessions', wholeNumber(1, 100_000), 100)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession list --problem parked\n  $ paysession list --status Completed --ended-after 24h --jsonl',
    )
    .action(list);
}

async function list(options: ListOptions): Promise<void> {
  const json = jsonRows(options);
  const rows: SessionSummary[] = [];
  await withSessions(async (sessions) => {
    for await (const summary of sessions.list(filterOf(options))) {
      json.add(summary);
      if (rows.push(summary) >= options.limit) break;
    }
  });
  if (rows.length === 0) refuseMisspelt(options);
  json.end();
  if (json.isAsked) return;
  if (rows.length === 0 && process.stdout.isTTY) printLine('No sessions.');
  else printLine(tableOf(rows));
}

/**
 * Refuses a status or code that looks like a misspelt known one. It is called only if no session was found, because the payment service may report
 * statuses and codes that this version does not know.
 */
function refuseMisspelt({ status = '', code = '' }: ListOptions): void {
  const known = isSessionStatus(status) ? undefined : nearest(status, SESSION_STATUSES);
  if (known !== undefined) throw misspelt(`--status ${status}`, known);
  // Only the case of letters may differ. A code that differs in a digit is another code.
  const knownCode = CODES.find((one) => one === code.toUpperCase() && one !== code);
  if (knownCode !== undefined) throw misspelt(`--code ${code}`, knownCode);
}

const misspelt = (given: string, known: string): InvalidArgumentError =>
  new InvalidArgumentError(`No session matches ${oneLine(given)}; did you mean ${known}?`);

function filterOf({ reference, running, ended, ...options }: ListOptions): SessionFilter {
  const metadata = soughtMetadata(options);
  const given = CONDITIONS.filter((name) => options[name] !== undefined);
  return {
    ...Object.fromEntries(given.map((name) => [name, options[name]])),
    ...(metadata !== undefined && { metadata }),
    ...(reference !== undefined && { referenceId: reference }),
    ...(running && { running: true }),
    ...(ended && { running: false }),
  };
}

/**
 * Returns a table. It has a column of directions only if some payments have the direction CREDIT. On a terminal, which has little room, it has a column
 * of problems only if there are any.
 */
function tableOf(summaries: readonly SessionSummary[]): string {
  const direction = summaries.some((summary) => summary.direction === 'CREDIT') && 'DIRECTION';
  const hasProblems = summaries.some(({ problems }) => problems.length > 0);
  const problemColumn = (hasProblems || !process.stdout.isTTY) && 'PROBLEMS';
  const reference = { title: 'REFERENCE', narrowed: 'cut' } as const;
  return formatTable(
    ['KEY', 'KIND', 'STATE', 'PAID', 'AMOUNT', direction, reference, problemColumn, 'STARTED'],
    summaries.map(toRow),
  );
}

function toRow(summary: SessionSummary): readonly Cell[] {
  const { key, kind = '', amount, direction = '', paid, referenceId = '', problems, startedAt } = summary;
  const paidCell = { text: paid ? 'yes' : 'no', style: styleOf(summary) };
  const problemCell = { text: problems.join(' '), style: colorsOf(process.stdout).yellow };
  const started = shortTime(startedAt, process.stdout);
  const money = amount === undefined ? '' : formatMoney(amount);
  return [key, kind, listedState(summary), paidCell, money, direction, referenceId, problemCell, started];
}

/** Returns the cell with a session's state. A state that comes from the ledger is marked. */
function listedState(summary: SessionSummary): Cell {
  const cell = stateNow(summary);
  // The session of this key ended in an earlier run of the workflow. This run opened no session.
  return summary.answered ? { ...cell, text: `${cell.text} (from the ledger)` } : cell;
}

/** Returns the text for a session. For an open or ended session, it is the state. Otherwise, it is the phase or the outcome, and the last state. */
function stateNow(summary: SessionSummary): StyledCell {
  const { outcome, phase = 'open', running, status, failure } = summary;
  if (outcome === 'ended' || phase === 'open') return stateCell(summary);
  const label = running ? phase : [outcome ?? phase, failure].filter((part) => part !== undefined).join(' ');
  return {
    text: status === undefined ? label : `${label} (${formatState(summary)})`,
    style: styleOf(summary),
  };
}

function problem(text: string): SessionProblem | ErrorCode {
  if (isSessionProblem(text) || isErrorCode(text)) return text;
  throw new InvalidArgumentError(`must be one of ${PROBLEM_NAMES}, or an error code.`);
}
