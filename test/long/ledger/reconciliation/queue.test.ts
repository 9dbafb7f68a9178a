import { expect, test } from '@jest/globals';
import type { PaymentLedger } from '../../../../ledger';
import { reconcileWhole } from '../../../support/ledger/reconciliation-files';
import { recordPayment } from '../../../support/ledger/recorded-payment';
import { testLedger } from '../../../support/ledger/test-ledger';
import { seededRandom, testSeed } from '../../../support/seed';

const RUNS = Number(process.env['PAYSESSION_TEST_RUNS'] ?? 4);
const HEAD = 'reference,amount,date,kind\n';
const PAYMENTS = 12;

/** A line of the files, with the key of its payment. A line without a key is a stranger: no payment matches it. */
interface Line {
  readonly text: string;
  readonly cents: number;
  readonly key?: string;
}

type Random = () => number;
const below = (random: Random, count: number): number => Math.floor(random() * count);
const centsOf = (amount: string | undefined): number => Math.round(Number(amount ?? 0) * 100);

function lineOf(random: Random, place: number): Line {
  const cents = 100 + place * 7 + below(random, 7);
  const isStranger = random() < 0.3;
  const reference = `${isStranger ? 'stranger' : 'ref'}-${place}`;
  const text = `${reference},${(cents / 100).toFixed(2)},2026-09-01,settled`;
  return { text, cents, ...(!isStranger && { key: `order-${place}` }) };
}

/** Reconciles some of the lines in random order. The run may be a dry run or may be stopped early. */
async function deliver(ledger: PaymentLedger, random: Random, lines: readonly Line[]): Promise<void> {
  const some = lines.filter(() => random() < 0.6).toSorted(() => random() - 0.5);
  if (some.length === 0) return;
  const stopsAfter = random() < 0.2 ? below(random, some.length) : Infinity;
  const file = `${HEAD}${some.map(({ text }) => text).join('\n')}\n`;
  const run = ledger.reconcile(file, { dryRun: random() < 0.2 });
  for (let taken = 0; taken < stopsAfter; taken += 1) {
    const { done } = await run.next();
    if (done) return;
  }
  await run.return(undefined);
}

async function explainOne(ledger: PaymentLedger, random: Random): Promise<void> {
  const { lines } = await ledger.unmatched.page({ size: 100 });
  const line = lines[below(random, lines.length)];
  if (line !== undefined) await ledger.explainLine(line.id, { by: 'ann', reason: 'asked the service' });
}

// An unmatched line waits in the queue until its payment is recorded or an operator explains it.
test(`in ${RUNS} random histories, each line is matched, waits in the queue or is explained, and the sums are right to the cent`, async () => {
  const random = seededRandom(testSeed());
  for (let run = 0; run < RUNS; run += 1) {
    const { ledger, database } = await testLedger();
    const lines = Array.from({ length: PAYMENTS }, (_line, place) => lineOf(random, place));
    const unpaid = lines.filter(({ key }) => key !== undefined);
    const pay = async ({ key = '', cents }: Line) =>
      recordPayment(ledger, { key, referenceId: key.replace('order', 'ref'), amount: cents / 100 });
    for (let step = 0; step < 12; step += 1) {
      const [next] = random() < 0.4 ? unpaid.splice(below(random, unpaid.length), 1) : [];
      if (next !== undefined) await pay(next);
      await deliver(ledger, random, lines);
      if (random() < 0.3) await explainOne(ledger, random);
    }
    for (const line of unpaid) await pay(line);
    const whole = `${HEAD}${lines.map(({ text }) => text).join('\n')}\n`;
    await reconcileWhole(ledger, whole);
    await expectToTheCent(ledger, lines);
    // Without this, the connections of earlier histories would use up all connections of the database server.
    await Promise.all([ledger.close(), database.close()]);
  }
});

async function expectToTheCent(ledger: PaymentLedger, lines: readonly Line[]): Promise<void> {
  const cents = (some: readonly { readonly cents: number }[]) =>
    some.reduce((sum, one) => sum + one.cents, 0);
  const { sums } = await ledger.payments.totals({ money: 'settled' });
  expect(centsOf(sums[0]?.amount)).toBe(cents(lines.filter(({ key }) => key !== undefined)));
  const { lines: kept } = await ledger.unmatched.page({ size: 1_000, all: true });
  const strangers = kept.filter(({ key }) => key === undefined);
  expect(cents(strangers.map(({ amount }) => ({ cents: centsOf(amount) })))).toBe(
    cents(lines.filter(({ key }) => key === undefined)),
  );
  // A line can be explained first and matched with its payment later. Such a line has both marks.
  for (const { key, matchedAt } of kept) expect(key === undefined).toBe(matchedAt === undefined);
  const waiting = strangers.filter(({ explainedAt }) => explainedAt === undefined);
  const totals = await ledger.unmatched.totals();
  expect([totals.count, centsOf(totals.sums[0]?.settled)]).toEqual([
    waiting.length,
    cents(waiting.map(({ amount }) => ({ cents: centsOf(amount) }))),
  ]);
  expect((await ledger.verify()).fault).toBeUndefined();
}
