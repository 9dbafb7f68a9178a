import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { migrate, type LedgerFact, type PaymentFilter, type PaymentLedger } from '../../../ledger';
import { sessionIdentity } from '../../../src/contract';
import { summariesOf } from '../../../ledger/sessions/summary';
import { claimsOf, standingClaim } from '../../../src/protocol/ledger/fold';
import { recordedSession } from '../../../src/protocol/ledger/recorded-session';
import { testSeed } from '../../support/seed';
import { eft } from '../../support/requests';
import { asListed } from '../../support/ledger/as-listed';
import { CLAIM } from '../../support/ledger/claim';
import { histories, play } from '../../support/ledger/random-histories';
import { ended, exampleLedger, settled } from '../../support/ledger/example-payments';
import { connectTo, newDatabase, openLedger, testLedger } from '../../support/ledger/test-ledger';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';
import type { PaymentOrder, PaymentPlace } from '../../../ledger/sessions/ledger-payments';

async function gathered<T>(all: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

const keysOf = async (ledger: PaymentLedger, filter: PaymentFilter, order?: PaymentOrder) =>
  (await gathered(ledger.payments.all(filter, order))).map(({ key }) => key);

// The table of claims repeats facts of the entries, so that lists are quick. The steps are random.
test('after each step of a random history, the ledger’s table of claims agrees with the entries', async () => {
  const { ledger } = await testLedger();
  const seed = testSeed();
  const property = fc.asyncProperty(histories, async (steps) => {
    const recorded = async (key: string) => {
      const entries = await ledger.entriesOf(key);
      const folded = summariesOf(claimsOf(entries))
        .filter(({ listed }) => listed)
        .map((summary) => asListed(key, summary));
      const stored = await ledger.payments.claimsAmong([key]);
      expect(stored).toEqual(folded);
      const known = standingClaim(claimsOf(entries));
      const standing = (await ledger.payments.among([key])).get(key);
      expect(standing?.claim).toBe(known?.number);
      // The page of a session and the command `state` read these fields from the entries, and lists read them from the claims.
      const { paid, status, code, phase, sessionId } = recordedSession(key, entries)?.state ?? {};
      expect([standing?.paid, standing?.status, standing?.code]).toEqual([paid, status, code]);
      expect(standing?.sessionId).toBe(sessionId && sessionIdentity(sessionId));
      expect(standing?.parked === true).toBe(phase === 'parked');
    };
    await play(ledger, steps, { id: randomUUID(), recorded });
  });
  await fc.assert(property, { seed, numRuns: 30 });
  // The verification also compares those claims that lists leave out.
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

describe('the payments of a ledger', () => {
  test('are found by a search text and by filters', async () => {
    const ledger = await exampleLedger();
    const found: readonly (readonly [PaymentFilter, readonly string[]])[] = [
      [{ text: 'boots' }, ['order-3', 'order-1']],
      [{ text: '/BOOTS-1' }, ['order-1']],
      [{ text: 'order-' }, ['order-3', 'order-2', 'order-1']],
      [{ text: '5A1C0D52-0000-4000-8000-000000000004' }, ['other-4']],
      [{ text: '1250.50' }, ['other-4']],
      [{ text: '$1250,5' }, ['other-4']],
      [{ text: '1250.51' }, []],
      [{ text: 'bo' }, []],
      [{ text: "%_'\\" }, []],
      [{ text: 'a\0b' }, []],
      [{ text: 'b', account: 'a\0b' }, []],
      [{ account: 'west' }, ['order-3', 'order-2']],
      [{ kind: 'EFT', money: 'paid' }, ['order-2']],
      [{ money: 'settled' }, ['order-3']],
      [{ money: 'returned' }, ['other-4']],
      [{ money: 'unpaid' }, ['other-5']],
      [{ money: 'open' }, ['order-1']],
      [{ amountFrom: 0.2, amountTo: 25 }, ['order-3', 'order-1']],
      [{ amountTo: 25 }, ['order-3', 'order-2', 'order-1']],
      [
        { claimedFrom: new Date('2026-03-02T12:00:00Z'), claimedBefore: new Date('2026-03-03T12:00:00Z') },
        ['order-3'],
      ],
      [{ endedBefore: new Date('2026-03-02T13:00:00Z') }, ['order-2']],
      [{ endedFrom: new Date('2026-03-03T13:00:00Z') }, ['other-5', 'other-4']],
    ];
    for (const [filter, keys] of found)
      expect({ filter, keys: await keysOf(ledger, filter) }).toEqual({ filter, keys });
  });

  test('are sorted by claim, end or amount, and each payment is on exactly one page', async () => {
    const ledger = await exampleLedger();
    const orders: readonly (readonly [PaymentOrder, readonly number[]])[] = [
      [{ by: 'claimed', direction: 'asc' }, [1, 2, 3, 4, 5]],
      [{ by: 'ended', direction: 'desc' }, [5, 4, 3, 2, 1]],
      [{ by: 'ended', direction: 'asc' }, [1, 2, 3, 4, 5]],
      [{ by: 'amount', direction: 'asc' }, [5, 2, 3, 1, 4]],
      [{ by: 'amount', direction: 'desc' }, [4, 1, 3, 2, 5]],
    ];
    for (const [order, numbers] of orders) {
      const seen: string[] = [];
      let after: PaymentPlace | undefined;
      do {
        const page = await ledger.payments.page({}, { size: 2, order, after });
        seen.push(...page.payments.map(({ key }) => key.slice(-1)));
        after = page.next;
      } while (after !== undefined);
      expect({ order, seen: seen.map(Number) }).toEqual({ order, seen: numbers });
    }
  });

  test('have sums that are exact to the cent', async () => {
    const ledger = await exampleLedger();
    expect(await ledger.payments.totals({ account: 'west' })).toEqual({
      count: 2,
      sums: [
        {
          direction: 'DEBIT',
          currency: 'CAD',
          count: 2,
          amount: '0.3',
          returned: { count: 0, amount: '0' },
        },
      ],
    });
    expect(await ledger.payments.totals({ money: 'unpaid' })).toEqual({ count: 1, sums: [] });
    expect(await ledger.payments.totals({ text: 'nobody' })).toEqual({ count: 0, sums: [] });
  });

  test('are counted by days in the merchant’s time zone, and money movements by the days in the reconciliation file', async () => {
    const ledger = await exampleLedger();
    const days = async (timeZone: string) => {
      const all = await ledger.payments.days({ from: '2026-03-01', to: '2026-03-05', timeZone });
      return all.map(({ figure, day, count, amount }) => `${figure} ${day} ${count} ${amount}`).sort();
    };
    const money = ['returned 2026-03-05 1 1250.5', 'settled 2026-03-03 1 0.2', 'settled 2026-03-04 1 1250.5'];
    expect(await days('UTC')).toEqual(
      [
        'opened 2026-03-02 2 0.3',
        'opened 2026-03-03 1 1250.5',
        'opened 2026-03-04 1 0',
        'paid 2026-03-02 2 0.3',
        'paid 2026-03-03 1 1250.5',
        ...money,
      ].sort(),
    );
    // Toronto’s clock is five hours behind UTC. There, the second order was paid the day before, at half past eleven in the evening.
    expect(await days('America/Toronto')).toEqual(
      [
        'opened 2026-03-01 1 0.1',
        'opened 2026-03-02 1 0.2',
        'opened 2026-03-03 1 1250.5',
        'opened 2026-03-04 1 0',
        'paid 2026-03-01 1 0.1',
        'paid 2026-03-02 1 0.2',
        'paid 2026-03-03 1 1250.5',
        ...money,
      ].sort(),
    );
  });

  test('of another environment are not found', async () => {
    const { url, ledger } = await testLedger();
    await openLedger(url, { environment: 'other' }).claim(CLAIM);
    expect(await keysOf(ledger, { text: CLAIM.key })).toEqual([]);
    expect(await ledger.payments.totals({})).toEqual({ count: 0, sums: [] });
    expect((await ledger.payments.among([CLAIM.key])).size).toBe(0);
  });
});

test('the ledger finds a reference with accents in upper and in lower case, also with the locale C of the database', async () => {
  const there = await newDatabase(
    "template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'",
  );
  await migrate(connectTo(there));
  const ledger = openLedger(there);
  await ledger.claim({ ...CLAIM, referenceId: 'COMMANDE-ÉTÉ-1' });
  for (const text of ['ÉTÉ', 'été-1', 'commande'])
    expect(await keysOf(ledger, { text })).toEqual([CLAIM.key]);
  expect(await keysOf(ledger, { text: 'ete-1' })).toEqual([]);
});

test('a payment’s amount in the ledger is the paid amount, or the reconciliation file’s amount if the paid amount is unknown', async () => {
  const { ledger } = await testLedger();
  const { amount: _amount, ...open } = eft();
  await ledger.claim({ ...CLAIM, key: 'changed', request: { ...open, amount: 100 } });
  await ledger.record({ ...CLAIM, key: 'changed' }, [
    { ...(ended('2026-03-01T13:00:00.000Z', true) as object), amount: 80 } as LedgerFact,
  ]);
  await ledger.claim({ ...CLAIM, key: 'chosen', request: open });
  await ledger.record({ ...CLAIM, key: 'chosen' }, [
    ended('2026-03-01T13:00:00.000Z', true),
    settled('2026-03-02'),
  ]);
  const amounts = async () =>
    [...(await ledger.payments.among(['changed', 'chosen'])).values()].map(({ amount }) => amount);
  expect((await amounts()).sort()).toEqual([1, 80]);
  expect(await keysOf(ledger, { text: '80.00' })).toEqual(['changed']);
});

test('the ledger records a claim without an account and without a currency', async () => {
  const { ledger } = await testLedger();
  const odd = { ...CLAIM, account: null, request: { ...eft(), currency: null } } as unknown as LedgerClaim;
  expect(await ledger.recordEnded(odd, [])).toBe(1);
  expect((await ledger.payments.among([CLAIM.key])).get(CLAIM.key)).toMatchObject({
    account: '',
    currency: '',
  });
});
