import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { moneyOf, type FileLine } from '../../../../ledger/reconciliation/file-line';
import { findSession, judgeLine, type Candidate } from '../../../../ledger/reconciliation/match';
import { ReconciliationTally } from '../../../../ledger/reconciliation/totals';
import type { LedgerEnd, LedgerFact } from '../../../../src/protocol/ledger/facts';
import { lastClaim } from '../../../../src/protocol/ledger/last-claim';

const at = '2026-05-01T12:00:00.000Z';

interface Told {
  readonly key?: string;
  readonly account?: string;
  /** `null`: the payor chooses it. @default 25 */
  readonly amount?: number | null;
  readonly referenceId?: string;
  readonly end?: Partial<LedgerEnd>;
  readonly more?: readonly LedgerFact[];
}

/** A session that has been paid, but for what a test says of it. */
function session({
  key = 'order-1',
  account = 'default',
  referenceId = 'ref-1',
  end,
  more = [],
  amount = 25,
}: Told): Candidate {
  const known = lastClaim([
    {
      ...{ kind: 'claimed', at, fingerprint: 'f', firstRunId: 'run-1', account, sessionKind: 'EFT' },
      ...{ ...(amount !== null && { amount }), currency: 'CAD', referenceId },
    },
    { kind: 'opened', at, sessionId: `session-of-${key}`, how: 'create' },
    { kind: 'ended', at, firstRunId: 'run-1', paid: true, status: 'Completed', leftNothing: false, ...end },
    ...more,
  ]);
  if (known === undefined) throw new Error('nothing was claimed');
  return { key, known };
}

const line: FileLine = { kind: 'settled', date: '2026-05-06', cents: 2500, referenceId: 'ref-1' };
const byId: FileLine = { kind: 'settled', date: '2026-05-06', cents: 2500, sessionId: 'session-of-order-2' };
const one = session({});
const another = session({ key: 'order-2' });

describe('the session that a line means', () => {
  test.each<[string, FileLine, readonly Candidate[], string]>([
    ['its reference has', line, [one, session({ key: 'order-2', referenceId: 'ref-2' })], 'order-1'],
    ['its session id has, whichever reference others have', byId, [one, another], 'order-2'],
    ['both have', { ...byId, referenceId: 'ref-1' }, [one, another], 'order-2'],
    ['alone of a reference has the amount', line, [session({ key: 'order-2', amount: 30 }), one], 'order-1'],
    [
      'alone can be paid',
      line,
      [session({ key: 'order-2', end: { status: 'Failed', paid: false } }), one],
      'order-1',
    ],
  ])('is the one that %s', (_what, asked, candidates, key) => {
    expect(findSession(asked, candidates)).toMatchObject({ key });
  });

  test.each<[string, FileLine, readonly Candidate[], object]>([
    [
      'no session has the reference',
      { ...line, referenceId: 'ref-9' },
      [one],
      { reason: 'unknown', detail: expect.stringContaining('"ref-9"') },
    ],
    [
      'no session has the id',
      { ...byId, sessionId: 's-9', referenceId: 'ref-1' },
      [one],
      { reason: 'unknown' },
    ],
    [
      'two payments have one reference and one amount',
      line,
      [one, another],
      { reason: 'ambiguous', detail: expect.stringContaining('order-1, order-2') },
    ],
    [
      'the id and the reference are of two sessions',
      { ...byId, referenceId: 'ref-2' },
      [another],
      { reason: 'ambiguous' },
    ],
    ['none of several has the amount', { ...line, cents: 1 }, [one, another], { reason: 'anotherAmount' }],
  ])('is none where %s', (_what, asked, candidates, unmatched) => {
    expect(findSession(asked, candidates)).toMatchObject(unmatched);
  });

  test('of a reference and an amount that two payments have stays open, also where one of them is settled', () => {
    const settled = session({ more: [moneyOf(line)] });
    expect(findSession(line, [settled, another])).toMatchObject({ reason: 'ambiguous' });
  });
});

describe('what a line tells of its session', () => {
  test('is new once, known when it is told again, and twice on another day', () => {
    const settled = session({ more: [moneyOf(line)] }).known;
    expect(judgeLine(line, one.known)).toEqual({ outcome: 'new' });
    expect(judgeLine(line, settled)).toEqual({ outcome: 'known' });
    expect(judgeLine({ ...line, date: '2026-05-07' }, settled)).toEqual({
      reason: 'twice',
      detail: 'the session was settled on 2026-05-06 already',
    });
    const returned: FileLine = { ...line, kind: 'returned', code: 'NSF' };
    expect(judgeLine(returned, settled)).toEqual({ outcome: 'new' });
    const back = session({ more: [moneyOf(returned)] }).known;
    expect(judgeLine(line, back)).toEqual({ outcome: 'new' });
    expect(judgeLine({ ...returned, code: 'CLOSED' }, back)).toMatchObject({ reason: 'twice' });
  });

  test.each<[FileLine, Told, object]>([
    [{ ...line, cents: 2501 }, {}, { reason: 'anotherAmount', detail: 'the session’s amount is 25.00' }],
    [{ ...line, currency: 'USD' }, {}, { reason: 'anotherCurrency', detail: 'the session is in CAD' }],
    [
      line,
      { end: { status: 'Expired', paid: false } },
      { reason: 'notPaid', detail: 'the session has ended Expired' },
    ],
    [line, { end: { leftNothing: true, paid: false, failure: 'CREATE_ABANDONED' } }, { reason: 'notPaid' }],
    [line, { end: { amount: 30 } }, { reason: 'anotherAmount' }],
    [{ ...line, cents: 3000 }, { end: { amount: 30 } }, { outcome: 'new' }],
    [{ ...line, cents: 30 }, { end: { amount: 0.1 + 0.2 } }, { outcome: 'new' }],
    [{ ...line, cents: 11_500 }, { end: { amount: 1.15 * 100 } }, { outcome: 'new' }],
    [line, { end: { amount: 25.005 } }, { reason: 'anotherAmount' }],
    [{ ...line, cents: 1 }, { amount: null }, { outcome: 'new' }],
    [line, { end: { status: 'Initiated', paid: false } }, { outcome: 'new' }],
  ])('%j of a session with %j', (asked, told, judged) => {
    expect(judgeLine(asked, session(told).known)).toMatchObject(judged);
  });

  test('is nothing for the file of another account', () => {
    expect(judgeLine(line, session({ account: 'west' }).known, 'west')).toEqual({ outcome: 'new' });
    expect(judgeLine(line, session({ account: 'west' }).known, 'east')).toMatchObject({
      reason: 'anotherAccount',
    });
  });
});

test('totals have every cent, also where they are more than a number holds', () => {
  const cents = fc.integer({ min: 1, max: 2 ** 46 * 100 });
  fc.assert(
    fc.property(fc.array(cents, { maxLength: 40 }), (amounts) => {
      const totals = new ReconciliationTally();
      amounts.forEach((each, index) => {
        totals.add({ line: index + 2, outcome: 'recorded', says: { ...line, cents: each } });
      });
      const sum = amounts.reduce((before, each) => before + BigInt(each), 0n);
      const { settled } = totals.get();
      expect(BigInt(settled.amount.replace('.', ''))).toBe(sum);
      expect(settled).toMatchObject({ lines: amounts.length, amount: expect.stringMatching(/^\d+[.]\d\d$/) });
    }),
  );
});
