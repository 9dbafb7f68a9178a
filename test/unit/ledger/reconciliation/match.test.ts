import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { moneyOf, type FileLine } from '../../../../ledger/reconciliation/file-line';
import {
  candidatesOf,
  findSession,
  judgeLine,
  type Candidate,
  type Judged,
  type MatchScope,
} from '../../../../ledger/reconciliation/match';
import { ReconciliationTally } from '../../../../ledger/reconciliation/totals';
import type { LedgerEnd, LedgerFact } from '../../../../src/protocol/ledger/facts';
import { claimsOf } from '../../../../src/protocol/ledger/fold';

// A reconciliation file has one line for each payment that settled (its money arrived) or was returned (its money came back).
// These functions decide to which session of the ledger a line belongs. A line without a session stays unmatched, for a reason.
const at = '2026-05-01T12:00:00.000Z';
const scope: MatchScope = { nowMs: Date.parse('2026-05-10T00:00:00.000Z') };

/** Properties of a payment in the ledger. */
interface PaymentOptions {
  readonly key?: string;
  readonly account?: string;
  /** The time of the claim. */
  readonly claimedAt?: string;
  /** `null` if the payor chooses the amount. @default 25 */
  readonly amount?: number | null;
  /** True if the payor may change the amount. */
  readonly amountOpen?: true;
  readonly referenceId?: string;
  readonly direction?: 'DEBIT' | 'CREDIT';
  /** The end of the session; `null` if it has not ended. @default paid */
  readonly end?: Partial<LedgerEnd> | null;
  /** False if the ledger knows no session of the key. @default true */
  readonly hasSession?: boolean;
  readonly more?: readonly LedgerFact[];
}

type CandidatesFor = (line: FileLine) => readonly Candidate[];

/** Returns a function that returns a ledger's candidates for a line: one payment, which by default is paid. */
function session({
  key = 'order-1',
  account = 'default',
  claimedAt = at,
  referenceId = 'ref-1',
  direction = 'DEBIT',
  end,
  hasSession = true,
  more = [],
  amount = 25,
  amountOpen,
}: PaymentOptions): CandidatesFor {
  const facts: LedgerFact[] = [
    {
      ...{
        kind: 'claimed',
        at: claimedAt,
        fingerprint: 'f',
        firstRunId: 'run-1',
        account,
        sessionKind: 'EFT',
      },
      ...{ direction, ...(amount !== null && { amount }), ...(amountOpen && { amountOpen }) },
      ...{ currency: 'CAD', referenceId },
    },
  ];
  if (hasSession)
    facts.push({ kind: 'opened', at: claimedAt, sessionId: `session-of-${key}`, how: 'create' });
  const paid = { paid: true, status: 'Completed', code: 'EFT0301', leftNothing: false };
  if (end !== null) facts.push({ kind: 'ended', at: claimedAt, firstRunId: 'run-1', ...paid, ...end });
  const claims = claimsOf([...facts, ...more].map((fact) => ({ claim: 1, fact })));
  return (fileLine) => candidatesOf(key, claims, fileLine);
}

/** Returns the outcome of a line in a ledger with these sessions, and the key of the line's session. */
function judged(
  fileLine: FileLine,
  sessions: readonly CandidatesFor[],
  by: MatchScope = scope,
): Judged & { key?: string } {
  const found = findSession(
    fileLine,
    sessions.flatMap((one) => one(fileLine)),
    by,
  );
  return 'reason' in found ? found : { ...judgeLine(fileLine, found, by), key: found.key };
}

const line: FileLine = { kind: 'settled', date: '2026-05-06', cents: 2500, referenceId: 'ref-1' };
const byId: FileLine = { kind: 'settled', date: '2026-05-06', cents: 2500, sessionId: 'session-of-order-2' };
const returned: FileLine = { ...line, kind: 'returned', code: 'NSF' };
const one = session({});
const another = session({ key: 'order-2' });
const open = session({ key: 'order-2', end: null });
const expired = { status: 'Expired', code: 'EFT0601', paid: false };

describe('the session of a line of a reconciliation file', () => {
  test.each<[string, FileLine, readonly CandidatesFor[], string]>([
    ['has the line’s reference', line, [one, session({ key: 'order-2', referenceId: 'ref-2' })], 'order-1'],
    ['has the line’s session id', byId, [one, another], 'order-2'],
    ['has the line’s session id and reference', { ...byId, referenceId: 'ref-1' }, [one, another], 'order-2'],
    [
      'is the only session with the line’s reference that has the line’s amount',
      line,
      [session({ key: 'order-2', amount: 30 }), one],
      'order-1',
    ],
    [
      'is the only session with the line’s reference that may be paid',
      line,
      [session({ key: 'order-2', end: expired }), one],
      'order-1',
    ],
    [
      'is the only session with the line’s reference that was claimed before the line’s day',
      line,
      [session({ key: 'order-2', claimedAt: '2026-05-08T00:00:00.000Z', end: null }), one],
      'order-1',
    ],
  ])('%s', (_what, fileLine, sessions, key) => {
    expect(judged(fileLine, sessions)).toMatchObject({ outcome: 'new', key });
  });

  test.each<[string, FileLine, readonly CandidatesFor[], object]>([
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
    [
      'none of several sessions with the reference has the amount',
      { ...line, cents: 1 },
      [one, another],
      { reason: 'anotherAmount' },
    ],
    [
      'the only session with the amount has expired',
      line,
      [
        session({ amount: 30 }),
        session({ key: 'order-2', end: expired }),
        session({ key: 'order-3', amount: 31 }),
      ],
      { reason: 'notPaid' },
    ],
  ])('is not found if %s', (_what, fileLine, sessions, unmatched) => {
    expect(judged(fileLine, sessions)).toMatchObject(unmatched);
  });

  test('is ambiguous if two payments have the line’s reference and amount, even if one of them has recorded lines', () => {
    const ofId = moneyOf({ ...line, sessionId: 'session-of-order-1' });
    const other = moneyOf({ ...line, date: '2026-05-05' });
    for (const money of [ofId, other])
      expect(judged(line, [session({ more: [money] }), another])).toMatchObject({ reason: 'ambiguous' });
    // The other payment may also have settled, with a line that was not recorded.
    expect(judged(returned, [session({ more: [ofId] }), another])).toMatchObject({ reason: 'ambiguous' });
  });

  test('is the session with which the line was recorded, even if another payment has that reference now', () => {
    const settled = session({ more: [moneyOf(line)] });
    for (const since of [another, open, session({ key: 'order-2', end: expired })])
      for (const sessions of [
        [settled, since],
        [since, settled],
      ])
        expect(judged(line, sessions)).toEqual({ outcome: 'known', key: 'order-1' });
  });
});

describe('the reference of a line of a reconciliation file', () => {
  const padded = session({ key: 'order-2', referenceId: 'ref-1 ' });
  const inFile = (referenceId: string): FileLine => ({ ...line, referenceId });

  test.each<[string, readonly CandidatesFor[], object]>([
    ['ref-1', [one, padded], { key: 'order-1' }],
    ['ref-1 ', [one, padded], { key: 'order-2' }],
    ['ref-1', [padded], { key: 'order-2' }],
    ['\u00a0ref-1', [one], { key: 'order-1' }],
    ['ref-1\t', [one, padded], { reason: 'ambiguous' }],
    ['ref-1\t', [session({ more: [moneyOf(line)] }), padded], { reason: 'ambiguous' }],
    ['REF-1', [one], { reason: 'unknown' }],
    ['ref- 1', [one], { reason: 'unknown' }],
  ])(
    '%j is first compared exactly, and without spaces around it only if no payment has exactly this reference',
    (referenceId, sessions, meant) => {
      expect(judged(inFile(referenceId), sessions)).toMatchObject(meant);
    },
  );

  test('belongs only to the payment with exactly this reference, even if that payment has another amount', () => {
    expect(judged(inFile('ref-1'), [session({ amount: 30 }), padded])).toMatchObject({
      reason: 'anotherAmount',
    });
  });

  test('may differ by spaces in a line with a session id, and in a line that was recorded before', () => {
    const withId = { ...byId, referenceId: 'ref-1' };
    expect(judged(withId, [one, padded])).toEqual({ outcome: 'new', key: 'order-2' });
    const settled = session({ key: 'order-2', referenceId: 'ref-1 ', more: [moneyOf(line)] });
    expect(judged(line, [one, settled])).toEqual({ outcome: 'known', key: 'order-2' });
  });
});

describe('a line without a session id in a reconciliation file', () => {
  test('waits until an open session with its reference ends, even if another session with that reference is paid', () => {
    expect(judged(line, [open])).toEqual({
      key: 'order-2',
      reason: 'stillOpen',
      detail: 'order-2 is still open: reconcile the file again when it has ended',
    });
    expect(judged(line, [one, open])).toMatchObject({ reason: 'stillOpen', key: 'order-2' });
    expect(judged(returned, [one, open])).toMatchObject({ reason: 'stillOpen', key: 'order-2' });
  });

  test('may belong to an open session whose last state is paid, but not to an open session whose last state is unpaid', () => {
    const seen = (code: string, status: string): LedgerFact => ({
      kind: 'state',
      at,
      number: 2,
      status,
      code,
      source: 'poll',
    });
    const paid = session({ key: 'order-2', end: null, more: [seen('EFT0301', 'Completed')] });
    const failed = session({ key: 'order-2', end: null, more: [seen('EFT0401', 'Failed')] });
    expect(judged(line, [paid])).toEqual({ outcome: 'new', key: 'order-2' });
    expect(judged(line, [failed])).toMatchObject({ reason: 'notPaid' });
    expect(judged(line, [failed, one])).toEqual({ outcome: 'new', key: 'order-1' });
  });

  test('may belong to a payment with an unknown outcome, but not to a payment that was never created', () => {
    const failed = { paid: false, status: '', failure: 'CREATE_ABANDONED' } as const;
    const lost = session({ hasSession: false, end: failed });
    expect(judged(line, [lost])).toMatchObject({ outcome: 'new' });
    const never = session({ hasSession: false, end: { ...failed, leftNothing: true } });
    expect(judged(line, [never])).toMatchObject({ reason: 'notPaid' });
  });
});

describe('a payment whose amount the payor may change', () => {
  const changeable = { key: 'order-2', amount: 20, amountOpen: true } as const;
  const seen = (amount: number): LedgerFact => ({
    ...{ kind: 'state', at, number: 2, source: 'poll' },
    ...{ status: 'Completed', code: 'EFT0301', amount },
  });

  test('makes a reconciliation line without a session id wait while the payment is open, for any requested amount', () => {
    const openSession = session({ ...changeable, end: null });
    const notCreated = session({ ...changeable, end: null, hasSession: false });
    for (const undecided of [openSession, notCreated])
      for (const about of [line, returned])
        for (const sessions of [[undecided], [one, undecided]])
          expect(judged(about, sessions)).toMatchObject({ reason: 'stillOpen', key: 'order-2' });
    const fixed = session({ key: 'order-2', amount: 20, end: null });
    expect(judged(line, [one, fixed])).toEqual({ outcome: 'new', key: 'order-1' });
  });

  test('is matched by its reported amount once it is completed, and is not matched once it has expired', () => {
    for (const [amount, meant] of [
      [20, { outcome: 'new', key: 'order-1' }],
      [25, { reason: 'ambiguous' }],
    ] as const) {
      const completed = session({ ...changeable, end: null, more: [seen(amount)] });
      expect(judged(line, [one, completed])).toMatchObject(meant);
      expect(judged(line, [one, session({ ...changeable, end: { amount } })])).toMatchObject(meant);
    }
    const over = session({ ...changeable, end: expired });
    expect(judged(line, [one, over])).toEqual({ outcome: 'new', key: 'order-1' });
    expect(judged(byId, [over])).toMatchObject({ reason: 'anotherAmount' });
  });

  test('matches a reconciliation line of any amount if it has ended with an unknown outcome', () => {
    for (const end of [
      { status: 'Initiated', paid: false, amount: 20 },
      { paid: false, status: '', failure: 'SERVICE_SESSION_UNKNOWN' },
    ] as const) {
      const unclear = session({ ...changeable, end });
      expect(judged(line, [one, unclear])).toMatchObject({ reason: 'ambiguous' });
      expect(judged(byId, [unclear])).toEqual({ outcome: 'new', key: 'order-2' });
    }
  });

  test('is matched by the amount of its first recorded line with a session id, even while it is open', () => {
    expect(judged(byId, [session({ ...changeable, end: null })])).toEqual({ outcome: 'new', key: 'order-2' });
    const settled = session({ ...changeable, end: null, more: [moneyOf(byId)] });
    const back: FileLine = { ...byId, kind: 'returned' };
    expect(judged(back, [settled])).toEqual({ outcome: 'new', key: 'order-2' });
    expect(judged({ ...back, cents: 2000 }, [settled])).toMatchObject({
      reason: 'anotherAmount',
      detail: 'the session’s amount is 25.00',
    });
    expect(judged({ ...line, cents: 2000 }, [settled])).toMatchObject({ reason: 'anotherAmount' });
    expect(judged(line, [one, settled])).toMatchObject({ reason: 'ambiguous' });
  });
});

describe('a line with a session id in a reconciliation file', () => {
  test('belongs to an open or unsigned session, but not to a session that has ended unpaid', () => {
    expect(judged(byId, [open])).toEqual({ outcome: 'new', key: 'order-2' });
    const unsigned = session({ key: 'order-2', end: { status: 'Completed', code: 'EFT0302', paid: false } });
    expect(judged(byId, [unsigned])).toMatchObject({ outcome: 'new' });
    expect(judged(byId, [session({ key: 'order-2', end: expired })])).toMatchObject({ reason: 'notPaid' });
  });

  test('is known once it is recorded, even if its session then ends unpaid or with another amount', () => {
    for (const end of [expired, { amount: 30 }])
      expect(judged(byId, [session({ key: 'order-2', end, more: [moneyOf(byId)] })])).toMatchObject({
        outcome: 'known',
      });
  });

  test('belongs to its session even if the id’s letters differ in case', () => {
    const sessionId = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
    const opened: LedgerFact = { kind: 'opened', at, sessionId: sessionId.toUpperCase(), how: 'create' };
    expect(judged({ ...byId, sessionId }, [session({ hasSession: false, more: [opened] })])).toMatchObject({
      outcome: 'new',
    });
  });
});

describe('the day of a line of a reconciliation file', () => {
  test.each([
    ['2026-04-30', { outcome: 'new' }],
    [
      '2026-04-29',
      { reason: 'impossibleDate', detail: 'the session was claimed on 2026-05-01, after 2026-04-29' },
    ],
    ['0026-05-06', { reason: 'impossibleDate' }],
    ['0000-01-01', { reason: 'impossibleDate' }],
    ['2027-05-10', { outcome: 'new' }],
    ['2027-05-12', { reason: 'impossibleDate', detail: '2027-05-12 is more than a year ahead' }],
    ['9999-12-31', { reason: 'impossibleDate' }],
  ])(
    'may be from one day before the claim (2026-05-01) to one year after the reading (2026-05-10): %s',
    (date, expected) => {
      expect(judged({ ...line, date }, [one])).toMatchObject(expected);
      expect(judged({ ...byId, date }, [another])).toMatchObject(expected);
    },
  );

  test('may be before the claim if the session is older, because the claim took it over, created it earlier, or adopted it', () => {
    const claimed = (number: number, claimedAt: string, takesOver?: number) => ({
      claim: number,
      fact: {
        ...{
          kind: 'claimed',
          at: claimedAt,
          fingerprint: 'f',
          firstRunId: `run-${number}`,
          account: 'default',
        },
        ...{ sessionKind: 'EFT', direction: 'DEBIT', amount: 25, currency: 'CAD', referenceId: 'ref-1' },
        ...(takesOver !== undefined && { takesOver }),
      } as LedgerFact,
    });
    const opened = (claim: number, how: 'create' | 'takeOver' | 'adopt', openedAt = at) => ({
      claim,
      fact: { kind: 'opened', at: openedAt, sessionId: 's-1', how } as const,
    });
    const june = '2026-06-01T00:00:00.000Z';
    const taken = claimsOf([
      claimed(1, at),
      opened(1, 'create'),
      claimed(2, june, 1),
      opened(2, 'takeOver', june),
    ]);
    const answered = claimsOf([claimed(1, june), opened(1, 'create')]);
    const named = claimsOf([claimed(1, june), opened(1, 'adopt', june)]);
    const created = claimsOf([claimed(1, june), opened(1, 'create', june)]);
    const fileLine: FileLine = { kind: 'settled', date: '2026-05-06', cents: 2500, sessionId: 's-1' };
    const outcomes = [taken, answered, named, created].map((claims) =>
      judged(fileLine, [(each) => candidatesOf('order-1', claims, each)]),
    );
    const [isNew, isNot] = [{ outcome: 'new' }, { reason: 'impossibleDate' }];
    expect(outcomes).toMatchObject([isNew, isNew, isNew, isNot]);
    const yearsBefore = { ...fileLine, date: '2016-05-06' };
    expect(judged(yearsBefore, [(each) => candidatesOf('order-1', named, each)])).toMatchObject({
      reason: 'impossibleDate',
    });
  });
});

describe('the outcome of a line of a reconciliation file', () => {
  test('is “new” for the first line, “known” for the same line again, and “twice” for a line with another day or code', () => {
    const settled = session({ more: [moneyOf(line)] });
    expect(judged(line, [one])).toMatchObject({ outcome: 'new' });
    expect(judged(line, [settled])).toMatchObject({ outcome: 'known' });
    expect(judged({ ...line, date: '2026-05-07' }, [settled])).toMatchObject({
      reason: 'twice',
      detail: 'the session was settled on 2026-05-06 already',
    });
    expect(judged(returned, [settled])).toMatchObject({ outcome: 'new' });
    const back = session({ more: [moneyOf(returned)] });
    expect(judged(line, [back])).toMatchObject({ outcome: 'new' });
    expect(judged({ ...returned, code: 'CLOSED' }, [back])).toMatchObject({ reason: 'twice' });
  });

  test('depends on the first of two recorded settlements', () => {
    const settled = session({ more: [moneyOf(line), moneyOf({ ...line, date: '2026-05-07' })] });
    expect(judged(line, [settled])).toMatchObject({ outcome: 'known' });
    expect(judged({ ...line, date: '2026-05-08' }, [settled])).toMatchObject({
      detail: 'the session was settled on 2026-05-06 already',
    });
  });

  test.each<[FileLine, PaymentOptions, object]>([
    [{ ...line, cents: 2501 }, {}, { reason: 'anotherAmount', detail: 'the session’s amount is 25.00' }],
    [{ ...line, currency: 'USD' }, {}, { reason: 'anotherCurrency', detail: 'the session is in CAD' }],
    [line, { end: expired }, { reason: 'notPaid', detail: 'the session has ended Expired' }],
    [line, { end: { amount: 30 } }, { reason: 'anotherAmount' }],
    [{ ...line, cents: 3000 }, { end: { amount: 30 } }, { outcome: 'new' }],
    [{ ...line, cents: 30 }, { end: { amount: 0.1 + 0.2 } }, { outcome: 'new' }],
    [{ ...line, cents: 11_500 }, { end: { amount: 1.15 * 100 } }, { outcome: 'new' }],
    [line, { end: { amount: 25.005 } }, { reason: 'anotherAmount' }],
    [{ ...line, cents: 1 }, { amount: null }, { outcome: 'new' }],
    [line, { end: { status: 'Initiated', paid: false } }, { outcome: 'new' }],
    [line, { direction: 'CREDIT' }, { outcome: 'new' }],
  ])('depends on amount, currency and end: %j for a session with %j', (fileLine, options, expected) => {
    expect(judged(fileLine, [session(options)])).toMatchObject(expected);
  });

  test('is “anotherAccount” if the file belongs to another account', () => {
    const west = session({ account: 'west' });
    const recorded = session({ account: 'west', more: [moneyOf(line)] });
    expect(judged(line, [west], { ...scope, account: 'west' })).toMatchObject({ outcome: 'new' });
    for (const known of [west, recorded])
      expect(judged(line, [known], { ...scope, account: 'east' })).toMatchObject({
        reason: 'anotherAccount',
      });
  });
});

test('the totals of a reconciliation separate incoming and outgoing money', () => {
  const totals = new ReconciliationTally();
  for (const direction of ['DEBIT', 'CREDIT'] as const)
    for (const says of [line, { ...returned, cents: 700 }])
      totals.add({ line: 2, outcome: 'recorded', says, direction });
  expect(totals.get()).toMatchObject({
    settled: { lines: 1, amount: '25.00' },
    returned: { lines: 1, amount: '7.00' },
    settledOut: { lines: 1, amount: '25.00' },
    returnedOut: { lines: 1, amount: '7.00' },
  });
});

test('the totals of a reconciliation are exact to the cent, even above the largest safe integer', () => {
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
