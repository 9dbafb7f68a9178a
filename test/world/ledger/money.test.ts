import { expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { judgeClaim } from '../../../ledger/claims';
import { lastClaim } from '../../../src/protocol/ledger/last-claim';
import { recordedSession } from '../../../src/protocol/ledger/recorded-session';
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
  const factsNow = async () => (await ledger.entriesOf('order-1')).map(({ fact }) => fact);
  const before = await factsNow();
  // A return may be heard of before what it returns.
  expect(await ledger.record('order-1', [returned])).toBe(1);
  expect(await ledger.record('order-1', [settled])).toBe(1);
  expect(await ledger.record('order-1', [returned, settled])).toBe(0);
  const facts = await factsNow();
  expect(facts).toEqual([...before, returned, settled]);
  expect(recordedSession('order-1', facts)).toEqual(recordedSession('order-1', before));
  for await (const session of ledger.sessions())
    expect(session).toMatchObject({
      paid: true,
      settledAt: settled.at,
      returnedAt: returned.at,
      returnCode: 'NSF',
    });
  const { fingerprint } = lastClaim(facts)?.claimed ?? CLAIM;
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
  expect(judgeClaim([...claimed, left], another).answer).toEqual({ outcome: 'claimed' });
  for (const moved of [settled, returned])
    expect(judgeClaim([...claimed, left, moved], another).answer).toEqual({ outcome: 'conflict' });
});
