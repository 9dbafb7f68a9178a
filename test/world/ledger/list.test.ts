import { describe, expect, test } from '@jest/globals';
import type { LedgerFact, LedgerSession, PaymentFilter, PaymentLedger } from '../../../ledger';
import { type PaymentOrder } from '../../../ledger/sessions/ledger-payments';
import { credit, eft } from '../../support/requests';
import { generateSessions } from '../../support/ledger/generated';
import { CLAIM } from '../../support/ledger/claim';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';

const at = '2026-03-01T12:00:00.000Z';

const claimOf = (key: string, own: Partial<LedgerClaim> = {}): LedgerClaim => ({ ...CLAIM, key, ...own });

const endOf = (own: Partial<Extract<LedgerFact, { kind: 'ended' }>> = {}): LedgerFact => ({
  kind: 'ended',
  at: '2026-03-01T13:00:00.000Z',
  firstRunId: 'run-1',
  paid: false,
  leftNothing: false,
  ...own,
});

const stateOf = (
  number: number,
  status: string,
  own: { code?: string; amount?: number } = {},
): LedgerFact => ({
  kind: 'state',
  at,
  number,
  status,
  source: 'poll',
  ...own,
});

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };
const OLDEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'asc' };

async function listed(
  ledger: PaymentLedger,
  filter: PaymentFilter = {},
  order?: PaymentOrder,
): Promise<readonly LedgerSession[]> {
  const found: LedgerSession[] = [];
  for await (const session of ledger.payments.all(filter, order)) found.push(session);
  return found;
}

const keysOf = async (ledger: PaymentLedger, filter?: PaymentFilter, order?: PaymentOrder) =>
  (await listed(ledger, filter, order)).map(({ key }) => key);

/** Records facts for the workflow of the claim that `claimOf` makes. */
const record = (ledger: PaymentLedger, key: string, facts: readonly LedgerFact[]) =>
  ledger.record({ ...CLAIM, key }, facts);

describe('the ledger’s list of sessions', () => {
  test('contains each session without personal data, the latest claim first', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf('a', { referenceId: 'ref-1' }));
    await record(ledger, 'a', [
      stateOf(1, 'Initiated'),
      endOf({ paid: true, status: 'Completed', code: 'EFT0301', result: { key: 'a' } as never }),
    ]);
    await ledger.claim(claimOf('b', { at: '2026-03-01T12:00:00.001Z', account: 'west' }));
    await ledger.claim(claimOf('c'));
    await record(ledger, 'c', [endOf({ failure: 'CREATE_ABANDONED' })]);
    const claim = { claim: 1, firstRunId: 'run-1', direction: 'DEBIT' };
    const common = {
      ...claim,
      kind: 'EFT',
      account: 'default',
      amount: eft().amount,
      currency: 'CAD',
      claimedAt: at,
    };
    expect(await listed(ledger)).toEqual([
      {
        ...common,
        key: 'b',
        account: 'west',
        money: 'open',
        outcome: 'open',
        paid: false,
        claimedAt: '2026-03-01T12:00:00.001Z',
      },
      {
        ...common,
        key: 'c',
        money: 'failed',
        outcome: 'failed',
        failure: 'CREATE_ABANDONED',
        paid: false,
        endedAt: '2026-03-01T13:00:00.000Z',
      },
      {
        ...common,
        key: 'a',
        money: 'paid',
        outcome: 'ended',
        status: 'Completed',
        code: 'EFT0301',
        paid: true,
        referenceId: 'ref-1',
        endedAt: '2026-03-01T13:00:00.000Z',
      },
    ]);
  });

  test('has the last state of an open session, although its states were recorded in another order', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf('a'));
    for (const number of [1, 10, 9, 2])
      await record(ledger, 'a', [
        stateOf(number, number === 10 ? 'Completed' : 'Initiated', { code: 'EFT0301' }),
      ]);
    expect(await listed(ledger)).toMatchObject([{ status: 'Completed', outcome: 'open', paid: true }]);
  });

  test('contains only a key’s second claim if its first claim never created a session', async () => {
    const { ledger } = await testLedger();
    const { amount: _amount, ...open } = eft();
    await ledger.claim(claimOf('a', { referenceId: 'first' }));
    await record(ledger, 'a', [stateOf(1, 'Cancelled'), endOf({ leftNothing: true, status: 'Cancelled' })]);
    await ledger.claim(
      claimOf('a', {
        firstRunId: 'run-2',
        fingerprint: 'another',
        request: open,
        at: '2026-03-02T00:00:00.000Z',
      }),
    );
    const [session, ...others] = await listed(ledger);
    expect(others).toEqual([]);
    expect(session).toMatchObject({ outcome: 'open', claimedAt: '2026-03-02T00:00:00.000Z' });
    expect(session).not.toHaveProperty('status');
    expect(session).not.toHaveProperty('amount');
    expect(await listed(ledger, { referenceId: 'first' })).toEqual([]);
  });

  test('has the amount that the payor has chosen if the request has no amount', async () => {
    const { ledger } = await testLedger();
    const { amount: _amount, ...open } = eft();
    await ledger.claim(claimOf('a', { request: open }));
    await record(ledger, 'a', [stateOf(1, 'Initiated'), stateOf(2, 'Completed', { amount: 40.1 })]);
    await ledger.claim(claimOf('b', { request: open }));
    await record(ledger, 'b', [endOf({ amount: 7.07 })]);
    expect((await listed(ledger)).map(({ amount }) => amount)).toEqual([7.07, 40.1]);
  });

  test.each<[string, PaymentFilter, readonly string[]]>([
    ['a reference', { referenceId: 'ref-2' }, ['b']],
    ['an account', { account: 'west' }, ['c', 'b']],
    ['an amount', { amountFrom: 1_250.5, amountTo: 1_250.5 }, ['b']],
    ['a direction', { direction: 'CREDIT' }, ['c']],
    ['times', { claimedFrom: new Date('2026-03-02'), claimedBefore: new Date('2026-03-03') }, ['b']],
    ['an outcome', { outcome: 'open' }, ['c']],
    ['being paid', { paid: true }, ['a']],
    ['not being paid', { paid: false }, ['c', 'b']],
    ['several filters', { account: 'west', outcome: 'failed', claimedFrom: new Date('2026-03-02') }, ['b']],
  ])('finds sessions by %s', async (_what, filter, keys) => {
    const { url, ledger } = await testLedger();
    await ledger.claim(claimOf('a', { at: '2026-03-01T23:59:59.999Z', referenceId: 'ref-1' }));
    await record(ledger, 'a', [endOf({ paid: true, status: 'Completed', code: 'EFT0301' })]);
    const request = { ...eft(), amount: 1_250.5 };
    await ledger.claim(
      claimOf('b', { at: '2026-03-02T00:00:00.000Z', account: 'west', referenceId: 'ref-2', request }),
    );
    await record(ledger, 'b', [endOf({ failure: 'CREATE_ABANDONED' })]);
    await ledger.claim(claimOf('c', { at: '2026-03-03T00:00:00.000Z', account: 'west', request: credit() }));
    await openLedger(url, { environment: 'other' }).claim(claimOf('d', { account: 'west' }));
    expect(await keysOf(ledger, filter)).toEqual(keys);
    expect(await keysOf(ledger, filter, OLDEST_FIRST)).toEqual(keys.toReversed());
  });

  test('contains each session exactly once on its pages, although very many were claimed at the same instant', async () => {
    const { ledger, database } = await testLedger();
    await generateSessions(database, 1_200);
    await database.query("update paysession_ledger.claims set claimed_at = '2026-01-01T00:00:00.123456Z'");
    for (const order of [NEWEST_FIRST, OLDEST_FIRST]) {
      const keys = await keysOf(ledger, {}, order);
      expect(new Set(keys).size).toBe(1_200);
      expect(keys).toHaveLength(1_200);
    }
  });

  test.each([
    ['a\u0000b', 'a?b'],
    ['\\u0000', '\\u0000'],
    ['a\ud800', 'a?'],
    ['"; drop table', '"; drop table'],
  ])(
    'contains a session with the odd reference %j, without the characters that PostgreSQL cannot store',
    async (referenceId, shown) => {
      const { ledger } = await testLedger();
      await ledger.claim(claimOf('a', { referenceId }));
      expect(await listed(ledger)).toMatchObject([{ key: 'a', referenceId: shown }]);
      expect(await ledger.verify()).not.toHaveProperty('fault');
    },
  );
});
