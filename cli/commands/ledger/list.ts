import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { LedgerSession, PaymentFilter } from '../../../ledger';
import type { PaymentTotals } from '../../../ledger/sessions/ledger-payments';
import {
  EXPORT_FORMATS,
  exportedLine,
  headOf,
  type ExportFormat,
} from '../../../ledger/sessions/exported-line';
import { DIRECTIONS, LEDGER_OUTCOMES } from '../../../ledger/sessions/summary';
import { isPaysessionError } from '../../../src/errors';
import { CUSTOMER } from '../../../src/protocol/metadata';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';
import {
  counted,
  formatMoney,
  formatState,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  printLine,
  printWarning,
  type JsonRowsOptions,
} from '../../shared/output';
import {
  day,
  dollars,
  soughtMetadata,
  wholeNumber,
  withMetadataOptions,
  type MetadataOptions,
} from '../../shared/parse-arguments';
import { explainReturn, styleOf, stateCell } from '../../shared/session-state';
import { formatTable, type Cell } from '../../shared/table';
import { shortTime } from '../../shared/terminal';
import { DAY_MS, dayOf } from '../../../src/contract/values/day';

/** Adds the commands that list sessions from the ledger. They need no Temporal server. */
export function registerLists(ledger: Command): void {
  withMetadataOptions(
    ledger
      .command('list')
      .description('list the sessions in the ledger, the newest first; needs no Temporal server')
      .option('--reference <referenceId>', 'only this reference'),
  )
    .option('--account <account>', 'only this account')
    .option('--amount <dollars>', 'only sessions of this amount', dollars)
    .addOption(
      new Option('--direction <direction>', 'only money from payors (DEBIT), or to them (CREDIT)').choices(
        DIRECTIONS,
      ),
    )
    .option('--day <day>', 'only sessions claimed on this day, such as 2026-05-06 (UTC)', day)
    .addOption(new Option('--outcome <outcome>', 'only sessions with this outcome').choices(LEDGER_OUTCOMES))
    .addOption(new Option('--paid', 'only sessions that are paid').conflicts('unpaid'))
    .option('--unpaid', 'only sessions that are not paid')
    .option('--waiting', 'only returned money for which no person has recorded what was done')
    .option('--late', 'only late payments: their money should have arrived, and has not arrived or come back')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 100_000), 100)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger list --reference invoice-77\n  $ paysession ledger list --customer cus_42\n  $ paysession ledger list --day 2026-05-06 --unpaid --jsonl',
    )
    .action(printSessions);
  ledger
    .command('export')
    .description('write the sessions claimed in a range of days, the oldest first, without personal data')
    .requiredOption('--from <day>', 'the first day, such as 2026-05-01 (UTC)', day)
    .requiredOption('--to <day>', 'the day after the last one, such as 2026-06-01 (UTC)', day)
    .addOption(new Option('--format <format>', 'format of the output').choices(EXPORT_FORMATS).default('csv'))
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger export --from 2026-05-01 --to 2026-06-01 > may.csv',
    )
    .action(exportSessions);
}

interface LedgerListOptions
  extends
    JsonRowsOptions,
    MetadataOptions,
    Pick<PaymentFilter, 'account' | 'direction' | 'outcome' | 'paid' | 'waiting' | 'late'> {
  readonly reference?: string;
  readonly amount?: number;
  readonly day?: Date;
  readonly unpaid?: true;
  readonly limit: number;
}

async function printSessions(options: LedgerListOptions): Promise<void> {
  const { limit } = options;
  const json = jsonRows(options);
  await withLedger(async (ledger) => {
    const found: LedgerSession[] = [];
    for await (const session of ledger.payments.all(filterOf(options))) {
      json.add(session);
      if (found.push(session) >= limit) break;
    }
    if (found.length === 0) await warnOfOtherEnvironments(ledger);
    json.end();
    if (json.isAsked) return;
    if (found.length === 0 && process.stdout.isTTY) printLine('No sessions.');
    else printLine(tableOf(found));
    if (found.length > 0) await printSums(ledger.payments, filterOf(options));
  });
}

/** Prints the sums of all sessions that match. If the ledger cannot compute them, only warns, because the list itself is already printed. */
export async function printSums(
  payments: { readonly totals: (filter: PaymentFilter) => Promise<PaymentTotals> },
  filter: PaymentFilter,
): Promise<void> {
  try {
    printLine(sumsOf(await payments.totals(filter)));
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    printWarning(`The sums of all sessions that match are missing. ${error.message}`);
  }
}

/** Describes the sums of all sessions that match, and how much of each sum came back. Sessions that the list leaves out are included. */
function sumsOf({ count, sums }: PaymentTotals): string {
  const isDirected = sums.some(({ direction }) => direction === 'CREDIT');
  const parts = sums.map(({ direction, amount, returned }) => {
    const back = returned.count === 0 ? '' : `, of which ${formatMoney(Number(returned.amount))} came back`;
    return `${isDirected ? `${direction} ` : ''}${formatMoney(Number(amount))}${back}`;
  });
  return `${[counted(count, 'session'), ...parts].join('; ')}.`;
}

/** Returns a table. Some columns are shown only if needed: claims if a key has several, directions if one is CREDIT, customers if there are any. */
function tableOf(sessions: readonly LedgerSession[]): string {
  const claim = sessions.some((session) => session.claim > 1) && 'CLAIM';
  const direction = sessions.some((session) => session.direction === 'CREDIT') && 'DIRECTION';
  const customer = sessions.some(({ metadata }) => metadata?.[CUSTOMER] !== undefined) && 'CUSTOMER';
  return formatTable(
    [
      'KEY',
      claim,
      ...['KIND', 'STATE', 'PAID', 'AMOUNT'],
      direction,
      { title: 'REFERENCE', narrowed: 'cut' },
      customer,
      ...['ACCOUNT', 'CLAIMED', 'ENDED', 'MONEY'],
    ],
    sessions.map(toRow),
  );
}

function filterOf(options: LedgerListOptions): PaymentFilter {
  const { reference, account, amount, direction, day, outcome, paid, unpaid, waiting, late } = options;
  return {
    account,
    direction,
    outcome,
    waiting,
    late,
    referenceId: reference,
    metadata: soughtMetadata(options),
    amountFrom: amount,
    amountTo: amount,
    ...(day !== undefined && { claimedFrom: day, claimedBefore: new Date(day.getTime() + DAY_MS) }),
    paid: unpaid ? false : paid,
  };
}

function toRow(session: LedgerSession): readonly Cell[] {
  const { key, kind, account, amount, referenceId = '', claimedAt, endedAt } = session;
  const known = toKnown(session);
  return [
    key,
    String(session.claim),
    kind,
    stateOf(session),
    { text: session.paid ? 'yes' : 'no', style: styleOf(known) },
    amount === undefined ? '' : formatMoney(amount),
    session.direction,
    referenceId,
    session.metadata?.[CUSTOMER] ?? '',
    account,
    shortTime(claimedAt, process.stdout),
    endedAt === undefined ? '' : shortTime(endedAt, process.stdout),
    moneyOf(session),
  ];
}

/** Describes the return of a session's money. If the money has not come back, describes its arrival. The day is in UTC, as in the service's file. */
function moneyOf({ settledAt, returnedAt, returnCode, handledAt }: LedgerSession): string {
  if (returnedAt !== undefined) {
    const returned = `returned ${dayOf(returnedAt)} ${explainReturn(returnCode)}`.trimEnd();
    return handledAt === undefined ? returned : `${returned} (handled)`;
  }
  return settledAt === undefined ? '' : `settled ${dayOf(settledAt)}`;
}

/** Returns the last state. If the workflow failed, returns the failure and the last state before it. */
function stateOf(session: LedgerSession): Cell {
  const { failure, status } = session;
  const known = toKnown(session);
  if (failure === undefined) return stateCell(known);
  const seen = status === undefined ? '' : ` (${formatState(session)})`;
  return { text: `failed ${failure}${seen}`, style: styleOf(known) };
}

/** Returns the facts that decide in which colour a session is shown. An open session has no outcome yet. */
function toKnown({ outcome, ...session }: LedgerSession) {
  return outcome === 'open' ? session : { ...session, outcome };
}

interface LedgerExportOptions {
  /** The first day. */
  readonly from: Date;
  /** The day after the last one. */
  readonly to: Date;
  readonly format: ExportFormat;
}

/** Writes sessions to standard output as fast as the reading program takes them. So memory use stays small even if millions of sessions match. */
async function exportSessions({ from, to, format }: LedgerExportOptions): Promise<void> {
  if (from >= to)
    throw new InvalidArgumentError('--to must be after --from: it is the day after the last one.');
  await withLedger(async (ledger) => {
    const filter = { claimedFrom: from, claimedBefore: to };
    const oldestFirst = { by: 'claimed', direction: 'asc' } as const;
    let count = 0;
    async function* lines() {
      yield headOf(format);
      for await (const session of ledger.payments.all(filter, oldestFirst)) {
        count += 1;
        yield exportedLine(session, format);
      }
    }
    await pipeline(lines, process.stdout, { end: false });
    if (count === 0) await warnOfOtherEnvironments(ledger);
  });
}
