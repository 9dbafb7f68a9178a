import { expect, test } from '@jest/globals';
import { PaymentLedger, type ReconciledLine } from '../../../../ledger';
import { EXPIRED, PAID, recordPayment, sessionIdOf } from '../../../support/ledger/recorded-payment';
import { testLedger } from '../../../support/ledger/test-ledger';
import { shuffled } from '../../../support/ledger/reconciliation-files';
import { seededRandom, testSeed } from '../../../support/seed';

const HISTORIES = Number(process.env['PAYSESSION_TEST_RUNS'] ?? 3) * 2;
const PAYMENTS = 12;
const DAYS = 30;
const DAY_MS = 86_400_000;
const DATE = 'yyyy-mm-dd'.length;
/** The time of the first day's files, which come at noon. */
const FIRST_MS = Date.UTC(2026, 0, 1, 12);
const REFERENCES = ['INV-1', 'INV-1 ', 'INV-2'];
const AMOUNTS = [20, 25];

type Random = () => number;

/** The true events of a payment. Each is the number of a day, counted from 0. */
interface Payment {
  readonly key: string;
  readonly referenceId: string;
  readonly amount: number;
  /** The requested amount. If `amount` differs, the payor has changed it. */
  readonly requested: number;
  readonly claimed: number;
  /** Absent if the payment expires. */
  readonly settled?: number;
  readonly returned?: number;
  /** The day on which the end of the session is recorded in the ledger. */
  readonly heard: number;
}

/** A line of a reconciliation file, and the days on which the line is delivered. */
interface Line {
  readonly of: Payment;
  readonly day: number;
  readonly byId: boolean;
  readonly text: string;
  readonly comes: readonly number[];
}

const timeOf = (day: number): string => new Date(FIRST_MS + day * DAY_MS).toISOString();
const dateOf = (day: number): string => timeOf(day).slice(0, DATE);

test(`in ${HISTORIES} random histories, no line is recorded with the wrong payment, whatever the order of the files`, async () => {
  const random = seededRandom(testSeed());
  const { url, ledger } = await testLedger();
  for (let history = 0; history < HISTORIES; history += 1) await play(url, `history-${history}`, random);
  expect(await ledger.verify()).not.toHaveProperty('fault');
}, 1_200_000);

async function play(url: string, environment: string, random: Random): Promise<void> {
  let today = 0;
  const ledger = new PaymentLedger({ url, environment, now: () => FIRST_MS + today * DAY_MS });
  const payments = Array.from({ length: PAYMENTS }, (_none, n) => paymentOf(n, random));
  const lines = payments.flatMap((payment) => linesOf(payment, random));
  const deliver = async (due: readonly Line[]) => {
    const outcomes = await reconciled(ledger, due);
    await compare(ledger, payments);
    return due.map((line, place) => ({ ...line, outcome: outcomes[place] }));
  };
  for (; today <= DAYS; today += 1) {
    for (const payment of payments) await progress(ledger, payment, today);
    await deliver(shuffled(lines, random).filter(({ comes }) => comes.includes(today)));
  }
  // At the end, all lines are delivered two more times, in random order.
  await deliver(shuffled(lines, random));
  for (const { of, day, byId, outcome } of await deliver(shuffled(lines, random))) {
    const others = payments.filter((one) => one !== of && mayBeMeant(one, of, day));
    if (byId || others.length === 0) expect({ of, outcome }).toEqual({ of, outcome: 'known' });
  }
  await ledger.close();
}

/** True if a line of the payment `of` fits the payment `other` equally well, with all that the ledger knows at the end. */
const mayBeMeant = (other: Payment, of: Payment, day: number): boolean =>
  other.settled !== undefined &&
  other.amount === of.amount &&
  other.referenceId.trim() === of.referenceId.trim() &&
  other.claimed <= day + 1;

/** Expects that the ledger contains only true settlements and returns, each on its true day. */
async function compare(ledger: PaymentLedger, payments: readonly Payment[]): Promise<void> {
  const known = await ledger.payments.among(payments.map(({ key }) => key));
  for (const { key, settled = -1, returned = -1 } of payments) {
    const { settledAt = '', returnedAt = '' } = known.get(key) ?? {};
    expect(['', dateOf(settled)]).toContain(settledAt.slice(0, DATE));
    expect(['', dateOf(returned)]).toContain(returnedAt.slice(0, DATE));
  }
}

function paymentOf(n: number, random: Random): Payment {
  const below = (count: number) => Math.floor(random() * count);
  const claimed = below(20);
  const settled = claimed + 1 + below(3);
  const amount = AMOUNTS[below(AMOUNTS.length)] as number;
  const fate = random() < 0.3 ? {} : { settled, ...(random() < 0.4 && { returned: settled + below(5) }) };
  return {
    key: `order-${n}`,
    referenceId: REFERENCES[below(REFERENCES.length)] as string,
    amount,
    requested: random() < 0.3 ? (AMOUNTS[below(AMOUNTS.length)] as number) : amount,
    claimed,
    ...fate,
    heard: claimed + below(6),
  };
}

function linesOf(of: Payment, random: Random): readonly Line[] {
  const line = (kind: 'settled' | 'returned', day: number): Line => {
    const byId = random() < 0.4;
    const name = byId ? `,${sessionIdOf(of)}` : `${of.referenceId},`;
    const text = `${name},${of.amount}.00,${dateOf(day)},${kind},`;
    const comes = Array.from({ length: 3 }, () => day + Math.floor(random() * 6));
    return { of, day, byId, text, comes };
  };
  return [
    ...(of.settled === undefined ? [] : [line('settled', of.settled)]),
    ...(of.returned === undefined ? [] : [line('returned', of.returned)]),
  ];
}

async function progress(ledger: PaymentLedger, payment: Payment, today: number): Promise<void> {
  const { claimed, heard, settled, amount, requested, ...named } = payment;
  const change = amount !== requested && ({ amountModification: true } as const);
  const asked = { ...named, amount: requested, ...change, at: timeOf(claimed) };
  if (today === claimed) await recordPayment(ledger, { ...asked, end: null });
  if (today === heard)
    await recordPayment(ledger, { ...asked, end: settled === undefined ? EXPIRED : { ...PAID, amount } });
}

/** Reconciles a file of these lines. Returns each line's outcome, or the reason if the line is not matched. */
async function reconciled(ledger: PaymentLedger, lines: readonly Line[]): Promise<readonly string[]> {
  const results: ReconciledLine[] = [];
  const file = `reference,session,amount,date,kind,code\n${lines.map(({ text }) => `${text}\n`).join('')}`;
  for await (const line of ledger.reconcile(file)) results.push(line);
  return results.map(({ outcome, reason }) => reason ?? outcome);
}
