import type { Direction, LedgerOutcome, LedgerSession, PaymentFilter } from '../../../ledger';
import { styleOf, stateCell } from '../../shared/session/styled-state';
import {
  formatMoney,
  formatState,
  jsonRows,
  printLine,
  type JsonRowsOptions,
} from '../../shared/screen/output';
import { formatTable, type Cell, type Column } from '../../shared/screen/table';
import { dayOf, shortTime } from '../../shared/screen/time';
import { withLedger } from './open-ledger';
import { warnOfOtherEnvironments } from './own-environment';

export interface LedgerListOptions extends JsonRowsOptions {
  readonly reference?: string;
  readonly account?: string;
  readonly amount?: number;
  readonly direction?: Direction;
  readonly day?: Date;
  readonly outcome?: LedgerOutcome;
  readonly paid?: true;
  readonly unpaid?: true;
  readonly limit: number;
}

const COLUMNS = [
  'KEY',
  'KIND',
  'STATE',
  'PAID',
  'AMOUNT',
  'DIRECTION',
  { title: 'REFERENCE', narrowed: 'cut' },
  'ACCOUNT',
  'CLAIMED',
  'ENDED',
  'MONEY',
] as const satisfies readonly Column[];

export async function printSessions(options: LedgerListOptions): Promise<void> {
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
  });
}

/** Without a column of directions where all money comes in. */
function tableOf(sessions: readonly LedgerSession[]): string {
  const isDirected = sessions.some(({ direction }) => direction === 'CREDIT');
  const some = <T>(cells: readonly T[]) => cells.filter((_, at) => isDirected || COLUMNS[at] !== 'DIRECTION');
  return formatTable(
    some(COLUMNS),
    sessions.map((session) => some(toRow(session))),
  );
}

const DAY_MS = 86_400_000;

function filterOf({
  reference,
  account,
  amount,
  direction,
  day,
  outcome,
  paid,
  unpaid,
}: LedgerListOptions): PaymentFilter {
  return {
    referenceId: reference,
    account,
    ...(amount !== undefined && { amountFrom: amount, amountTo: amount }),
    ...(day !== undefined && { claimedFrom: day, claimedBefore: new Date(day.getTime() + DAY_MS) }),
    direction,
    outcome,
    ...(paid && { paid: true }),
    ...(unpaid && { paid: false }),
  };
}

function toRow(session: LedgerSession): readonly Cell[] {
  const { key, kind, account, amount, referenceId = '', claimedAt, endedAt } = session;
  const known = toKnown(session);
  return [
    key,
    kind,
    stateOf(session),
    { text: session.paid ? 'yes' : 'no', style: styleOf(known) },
    amount === undefined ? '' : formatMoney(amount),
    session.direction,
    referenceId,
    account,
    shortTime(claimedAt, process.stdout),
    endedAt === undefined ? '' : shortTime(endedAt, process.stdout),
    moneyOf(session),
  ];
}

/** What the money did last: days, in UTC as the payment service's file has them. */
function moneyOf({ settledAt, returnedAt, returnCode }: LedgerSession): string {
  if (returnedAt !== undefined)
    return ['returned', dayOf(returnedAt), ...(returnCode === undefined ? [] : [returnCode])].join(' ');
  return settledAt === undefined ? '' : `settled ${dayOf(settledAt)}`;
}

/** The last state, or why the workflow failed and what was seen last. */
function stateOf(session: LedgerSession): Cell {
  const { failure, status } = session;
  const known = toKnown(session);
  if (failure === undefined) return stateCell(known);
  const seen = status === undefined ? '' : ` (${formatState(session)})`;
  return { text: `failed ${failure}${seen}`, style: styleOf(known) };
}

/** An open session has no outcome yet. */
function toKnown({ outcome, ...session }: LedgerSession) {
  return outcome === 'open' ? session : { ...session, outcome };
}
