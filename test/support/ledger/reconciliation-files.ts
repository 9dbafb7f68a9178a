import type { LedgerDatabase, PaymentLedger, ReconciledLine } from '../../../ledger';
import type { ReconcileOptions } from '../../../ledger/reconciliation/reconcile';
import { CLAIM } from './claim';

/** Reconciliation files of many days, as a payment service sends them, with the expected results. */
export interface DeliveredFiles {
  /** The files in the order in which they arrive. Each file arrives twice. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** The settled payments in the ledger at the end. */
  readonly settled: { readonly count: number; readonly cents: number };
  /** The returned payments in the ledger at the end. */
  readonly returned: { readonly count: number; readonly cents: number };
  /** The number of lines in all files. */
  readonly lines: number;
  /** The number of unmatched lines for each reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

const HEAD = 'reference,session,amount,currency,date,kind,code\r\n';
const DAYS = 90;

/** The time at which the first session was claimed. The other sessions follow, one a minute. */
const FIRST_CLAIM_MS = Date.UTC(2025, 11, 20);
const MINUTE_MS = 60_000;
const AT_ONCE = 8;

/** Records `count` paid sessions in a ledger. */
export async function recordPaidSessions(ledger: PaymentLedger, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await recordPaidSession(ledger, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function recordPaidSession(ledger: PaymentLedger, n: number): Promise<void> {
  const at = new Date(FIRST_CLAIM_MS + n * MINUTE_MS).toISOString();
  const [key, firstRunId, referenceId] = [`order-${n}`, `run-${n}`, `ref-${n}`];
  const request = { ...CLAIM.request, amount: centsOf(n) / 100, referenceId };
  const ended = { paid: true, status: 'Completed', code: 'EFT0301', leftNothing: false };
  await ledger.recordEnded({ ...CLAIM, key, firstRunId, referenceId, request, at }, [
    { kind: 'opened', at, sessionId: `session-${n}`, how: 'create' },
    { kind: 'ended', at, firstRunId, ...ended },
  ]);
}

const centsOf = (n: number): number => (n % 5_000) + 1;

/**
 * Makes reconciliation files for these sessions. Each session settles. The money of one session in fifty comes back three days later.
 * One line in a hundred is in its file twice. For one session in a thousand, there is a line with an unknown reference or another
 * amount.
 */
export function deliveredFiles(sessions: number, random: () => number): DeliveredFiles {
  const byDay = new Map<number, string[]>();
  const found = { settled: { count: 0, cents: 0 }, returned: { count: 0, cents: 0 } };
  const reasons: Record<string, number> = {};
  const add = (day: number, line: string) => byDay.set(day, [...(byDay.get(day) ?? []), line]);
  for (let n = 0; n < sessions; n += 1) {
    const day = Math.floor(random() * DAYS);
    const cents = centsOf(n);
    const who = n % 2 === 0 ? `ref-${n},` : `,session-${n}`;
    const line = (kind: string, on: number, amount = cents) =>
      `${who},${(amount / 100).toFixed(2)},CAD,${dateOf(on)},${kind}\r\n`;
    const settled = line('settled,', day);
    add(day, settled);
    found.settled.count += 1;
    found.settled.cents += cents;
    if (n % 50 === 0) {
      add(day + 3, line('returned,NSF', day + 3));
      found.returned.count += 1;
      found.returned.cents += cents;
    }
    const addWrong = (reason: string, bad: string) => {
      add(day, bad);
      reasons[reason] = (reasons[reason] ?? 0) + 2;
    };
    if (n % 100 === 1) addWrong('twice', settled);
    if (n % 1_000 === 2) addWrong('unknown', settled.replace('ref-', 'ref-x'));
    if (n % 1_000 === 3) addWrong('anotherAmount', line('settled,', day, cents + 1));
  }
  const files = [...byDay].map(([day, lines]) => ({
    name: `${dateOf(day)}.csv`,
    text: `${HEAD}${shuffled(lines, random).join('')}`,
  }));
  const lines = [...byDay.values()].reduce((sum, some) => sum + some.length, 0);
  return { files: shuffled([...files, ...files], random), ...found, lines: 2 * lines, reasons };
}

const dateOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);

export const shuffled = <T>(all: readonly T[], random: () => number): readonly T[] =>
  all
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);

/** Returns the numbers and sums of settled and returned money in a ledger. */
export async function moneyIn(database: LedgerDatabase) {
  const rows = await database.query<{ kind: 'settled' | 'returned'; count: string; cents: string }>(
    `select kind, count(*) as count, sum((body::jsonb ->> 'amount')::numeric * 100)::bigint as cents
      from paysession_ledger.entries where kind in ('settled', 'returned') group by kind`,
  );
  const of = (kind: string) => {
    const row = rows.find((one) => one.kind === kind);
    return { count: Number(row?.count ?? 0), cents: Number(row?.cents ?? 0) };
  };
  return { settled: of('settled'), returned: of('returned') };
}

/** Reconciles a complete file, and returns the results of its lines. */
export async function reconcileWhole(
  ledger: PaymentLedger,
  text: string,
  options: ReconcileOptions = {},
): Promise<readonly ReconciledLine[]> {
  const lines: ReconciledLine[] = [];
  for await (const line of ledger.reconcile(text, options)) lines.push(line);
  return lines;
}
