import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  migrate,
  type LedgerClaim,
  type LedgerFact,
  type PaymentFilter,
  type PaymentLedger,
  type PaymentOrder,
  type PaymentPlace,
} from '../../../ledger';
import { fingerprintOf } from '../../../src/sessions';
import { amountOf, lastClaim } from '../../../src/protocol/ledger/last-claim';
import { recordedSession } from '../../../src/protocol/ledger/recorded-session';
import { testSeed } from '../../support/seed';
import { eft } from '../../support/requests';
import { CLAIM } from '../../support/ledger/claim';
import { ended, exampleLedger, settled } from '../../support/ledger/example-payments';
import { connectTo, openLedger, postgresUrl, testLedger } from '../../support/ledger/test-ledger';

const KEYS = ['a', 'b'];
const STATUSES = ['Initiated', 'Completed', 'Failed', 'Cancelled'];
const CODES = ['EFT0101', 'EFT0301', 'EFT0302', undefined];

/** One thing that is recorded of a session, in an order that need not make sense. */
const step = fc.record({
  key: fc.constantFrom(...KEYS),
  run: fc.integer({ min: 1, max: 3 }),
  number: fc.integer({ min: 1, max: 12 }),
  what: fc.constantFrom(
    ...(['claim', 'claim', 'opened', 'state', 'state', 'parked', 'decision'] as const),
    ...(['ended', 'settled', 'returned'] as const),
  ),
  status: fc.constantFrom(...STATUSES),
  code: fc.constantFrom(...CODES),
  flag: fc.boolean(),
  request: fc.constantFrom('EFT', 'open amount'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const FIRST: Step = {
  key: 'a',
  run: 1,
  number: 1,
  what: 'claim',
  status: 'Initiated',
  code: undefined,
  flag: false,
  request: 'open amount',
};

const timeOf = (index: number) => new Date(Date.UTC(2026, 2, 1) + index * 60_000).toISOString();

function factOf({ run, number, what, status, code, flag }: Step, at: string): LedgerFact | undefined {
  const amount = number + 0.07;
  const reported = { status, ...(code !== undefined && { code }) };
  switch (what) {
    case 'opened':
      return { kind: 'opened', at, sessionId: `session-${number}`, how: flag ? 'adopt' : 'create' };
    case 'state':
      return { kind: 'state', at, number, source: 'poll', ...reported, ...(flag && { amount }) };
    case 'parked':
      return { kind: 'parked', at, number, id: `${run}-${number}`, code: 'CREATE_OUTCOME_UNKNOWN' };
    case 'decision':
      return { kind: 'decision', at, number, decision: flag ? 'retry' : 'refresh', result: 'applied' };
    case 'ended': {
      const end = {
        kind: 'ended',
        at,
        firstRunId: `run-${run}`,
        leftNothing: flag && code === undefined,
      } as const;
      if (number === 1) return { ...end, paid: false, failure: 'CREATE_ABANDONED' };
      return { ...end, paid: code === 'EFT0301', ...(number > 3 && reported), ...(flag && { amount }) };
    }
    case 'settled':
      return { kind: 'settled', at, amount };
    case 'returned':
      return { kind: 'returned', at, amount, ...(flag && { code: 'NSF' }) };
    default:
      return undefined;
  }
}

function claimOf({ key, run, request }: Step, at: string): LedgerClaim {
  const { amount: _amount, ...open } = eft();
  const asked = request === 'EFT' ? eft() : open;
  return {
    ...CLAIM,
    key,
    firstRunId: `run-${run}`,
    fingerprint: fingerprintOf({ key, account: 'default', request: asked }),
    request: asked,
    at,
  };
}

async function gathered<T>(all: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

const keysOf = async (ledger: PaymentLedger, filter: PaymentFilter, order?: PaymentOrder) =>
  (await gathered(ledger.payments.all(filter, order))).map(({ key }) => key);

test('the table of sessions has at each moment what the entries tell, whatever order they come in', async () => {
  const { ledger } = await testLedger();
  const seed = testSeed();
  const histories = fc.array(step, { minLength: 3, maxLength: 25 });
  const property = fc.asyncProperty(histories, async (steps) => {
    const id = randomUUID();
    const own = (key: string) => `${id}-${key}`;
    const first = KEYS.map((key) => ({ ...FIRST, key }));
    for (const [index, one] of [...first, ...steps].entries()) {
      const [key, at] = [own(one.key), timeOf(index)];
      const fact = factOf(one, at);
      if (fact === undefined) await ledger.claim({ ...claimOf(one, at), key });
      else await ledger.record(key, [fact]);
    }
    const kept = await ledger.payments.among(KEYS.map(own));
    const listed = (await gathered(ledger.sessions())).filter(({ key }) => key.startsWith(id));
    expect(new Map(listed.map((session) => [session.key, session]))).toEqual(kept);
    for (const key of KEYS.map(own)) {
      const facts = (await ledger.entriesOf(key)).map(({ fact }) => fact);
      const known = lastClaim(facts);
      const { paid, status, code, phase } = recordedSession(key, facts)?.state ?? {};
      expect(kept.get(key)?.parked === true).toBe(phase === 'parked');
      expect([kept.get(key)?.status, kept.get(key)?.code]).toEqual([status, code]);
      expect(kept.get(key)?.paid).toBe(paid);
      const moved = facts.find((fact) => fact.kind === 'settled' || fact.kind === 'returned');
      expect(kept.get(key)?.amount).toBe((known && amountOf(known)) ?? moved?.amount);
      expect(kept.get(key)?.sessionId).toBe(known?.opened?.sessionId);
      expect(kept.get(key)?.endedAt).toBe(known?.ended?.at);
      expect(kept.get(key)?.returnedAt).toBe(known?.returned?.at);
    }
  });
  await fc.assert(property, { seed, numRuns: 30 });
});

describe('the payments of a ledger', () => {
  test('are found by what somebody types, and by filters', async () => {
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

  test('are sorted by start, end or amount, and no page has one twice or leaves one out', async () => {
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

  test('come to sums that are exact to the cent', async () => {
    const ledger = await exampleLedger();
    expect(await ledger.payments.totals({ account: 'west' })).toEqual({
      count: 2,
      sums: [{ currency: 'CAD', count: 2, amount: '0.3' }],
    });
    expect(await ledger.payments.totals({ money: 'unpaid' })).toEqual({ count: 1, sums: [] });
    expect(await ledger.payments.totals({ text: 'nobody' })).toEqual({ count: 0, sums: [] });
  });

  test('are counted by the merchant’s days, and money by those of the payment service’s file', async () => {
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
    // Toronto is five hours behind: the second order was paid there at half past eleven in the evening.
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

  test('that another installation has are not found', async () => {
    const { url, ledger } = await testLedger();
    await openLedger(url, { environment: 'other' }).claim(CLAIM);
    expect(await keysOf(ledger, { text: CLAIM.key })).toEqual([]);
    expect(await ledger.payments.totals({})).toEqual({ count: 0, sums: [] });
    expect((await ledger.payments.among([CLAIM.key])).size).toBe(0);
  });
});

test('a reference is found by its accents and capitals, in whatever language the database sorts', async () => {
  const url = await postgresUrl();
  const name = 'in_another_language';
  await connectTo(url).query(
    `create database ${name} template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`,
  );
  const there = url.replace(/[^/]*$/, name);
  await migrate(connectTo(there));
  const ledger = openLedger(there);
  await ledger.claim({ ...CLAIM, referenceId: 'COMMANDE-ÉTÉ-1' });
  for (const text of ['ÉTÉ', 'été-1', 'commande'])
    expect(await keysOf(ledger, { text })).toEqual([CLAIM.key]);
  expect(await keysOf(ledger, { text: 'ete-1' })).toEqual([]);
});

test('what the payor has paid counts, and not what was asked for; where nobody knows it, the file does', async () => {
  const { ledger } = await testLedger();
  const { amount: _amount, ...open } = eft();
  await ledger.claim({ ...CLAIM, key: 'changed', request: { ...open, amount: 100 } });
  await ledger.record('changed', [
    { ...(ended('2026-03-01T13:00:00.000Z', true) as object), amount: 80 } as LedgerFact,
  ]);
  await ledger.claim({ ...CLAIM, key: 'chosen', request: open });
  await ledger.record('chosen', [ended('2026-03-01T13:00:00.000Z', true), settled('2026-03-02')]);
  const amounts = async () =>
    [...(await ledger.payments.among(['changed', 'chosen'])).values()].map(({ amount }) => amount);
  expect((await amounts()).sort()).toEqual([1, 80]);
  expect(await keysOf(ledger, { text: '80.00' })).toEqual(['changed']);
});

test('a claim that lacks its account or its currency is recorded all the same', async () => {
  const { ledger } = await testLedger();
  const odd = { ...CLAIM, account: null, request: { ...eft(), currency: null } } as unknown as LedgerClaim;
  expect(await ledger.recordEnded(odd, [])).toBe(1);
  expect((await ledger.payments.among([CLAIM.key])).get(CLAIM.key)).toMatchObject({
    account: '',
    currency: '',
  });
});
