import { expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { judgeClaim } from '../../../ledger/claims';
import { claimsOf, type ClaimFact } from '../../../src/protocol/ledger/known-claim';
import { recordedSession } from '../../../src/protocol/ledger/recorded-session';
import { fingerprintOf } from '../../../src/sessions';
import { CLAIM } from '../../support/ledger/claim';
import { recordPaid } from '../../support/ledger/recorded';
import { testLedger } from '../../support/ledger/test-ledger';

const settled: LedgerFact = { kind: 'settled', at: '2026-03-02T00:00:00.000Z', amount: 25 };
const returned: LedgerFact = {
  kind: 'returned',
  at: '2026-06-01T00:00:00.000Z',
  amount: 25,
  code: 'NSF',
};

test('what the money did is told after the end, once, and changes nothing of what was known', async () => {
  const { ledger } = await testLedger();
  const result = await recordPaid(ledger, 'order-1');
  const factsNow = async (): Promise<readonly ClaimFact[]> =>
    (await ledger.entriesOf('order-1')).map(({ claim, fact }) => ({ claim, fact }));
  const before = await factsNow();
  // A return may be heard of before what it returns.
  expect(await ledger.record(CLAIM, [returned])).toBe(1);
  expect(await ledger.record(CLAIM, [settled])).toBe(1);
  expect(await ledger.record(CLAIM, [returned, settled])).toBe(0);
  const facts = await factsNow();
  expect(facts).toEqual([...before, { claim: 1, fact: returned }, { claim: 1, fact: settled }]);
  expect(recordedSession('order-1', facts)).toEqual(recordedSession('order-1', before));
  for await (const session of ledger.payments.all({}))
    expect(session).toMatchObject({
      paid: true,
      settledAt: settled.at,
      returnedAt: returned.at,
      returnCode: 'NSF',
    });
  const fingerprint = fingerprintOf({ key: 'order-1', account: CLAIM.account, request: CLAIM.request });
  const again = { ...CLAIM, fingerprint, firstRunId: 'run-2' };
  expect(await ledger.claim(again)).toEqual({ outcome: 'ended', result });
  expect(await ledger.claim({ ...again, fingerprint: 'another' })).toEqual({ outcome: 'conflict' });
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('a key whose money has moved stays taken, whatever else is known of it', () => {
  const claimed = judgeClaim([], CLAIM).add;
  const left: LedgerFact = {
    kind: 'ended',
    at: '2026-03-01T13:00:00.000Z',
    firstRunId: 'run-1',
    paid: false,
    leftNothing: true,
  };
  const another = { ...CLAIM, firstRunId: 'run-2', fingerprint: 'another' };
  const judged = (...facts: readonly LedgerFact[]) => {
    const own = facts.map((fact) => ({ claim: 1, fact }));
    return judgeClaim(claimsOf([...claimed, ...own]), another).answer;
  };
  expect(judged(left)).toEqual({ outcome: 'claimed' });
  for (const moved of [settled, returned]) expect(judged(left, moved)).toEqual({ outcome: 'conflict' });
});
