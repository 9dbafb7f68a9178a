import { expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { judgeClaim } from '../../../ledger/judge-claim';
import { claimsOf, type ClaimFact } from '../../../src/protocol/ledger/fold';
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

test('after a session’s end, the ledger records its settlement and its return once each, and changes no earlier entry', async () => {
  const { ledger } = await testLedger();
  const result = await recordPaid(ledger, 'order-1');
  const factsNow = async (): Promise<readonly ClaimFact[]> =>
    (await ledger.entriesOf('order-1')).map(({ claim, fact }) => ({ claim, fact }));
  const before = await factsNow();
  // The return may be recorded before the settlement.
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

test('in the ledger, a returned payment is listed as waiting until an operator records what was done', async () => {
  const { ledger } = await testLedger();
  await recordPaid(ledger, 'order-1');
  const handled = { by: 'ann', reason: 'collected again as order-1-again' };
  const waiting = async () => (await ledger.payments.page({ waiting: true }, { size: 10 })).payments;
  await expect(ledger.handleReturn('order-2', handled)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await expect(ledger.handleReturn('order-1', handled)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await ledger.record(CLAIM, [settled, returned]);
  expect(await waiting()).toMatchObject([{ key: 'order-1', money: 'returned' }]);
  await expect(ledger.handleReturn('order-1', { by: '', reason: '' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/by.*reason/),
  });
  expect(await ledger.handleReturn('order-1', handled)).toBe(true);
  expect(await ledger.handleReturn('order-1', { by: 'bob', reason: 'twice' })).toBe(false);
  expect(await waiting()).toEqual([]);
  const [listed] = (await ledger.payments.page({ money: 'returned' }, { size: 10 })).payments;
  expect(listed).toMatchObject({ returnCode: 'NSF', handledAt: expect.any(String) });
  const last = async () => (await ledger.entriesOf('order-1')).at(-1)?.fact;
  expect(await last()).toMatchObject({ kind: 'handled', ...handled });
  expect(await ledger.verify()).not.toHaveProperty('fault');
  await ledger.erase('order-1', { by: 'ann', reason: 'asked' });
  const [entry] = (await ledger.entriesOf('order-1')).filter(({ fact }) => fact.kind === 'handled');
  expect(entry?.fact).toEqual({ kind: 'handled', at: listed?.handledAt });
});

test('if two payments of one key came back, an operator handles each return separately, by its claim', async () => {
  const { ledger } = await testLedger();
  await recordPaid(ledger, 'order-1');
  const second = { ...CLAIM, firstRunId: 'run-2' };
  const opened: LedgerFact = { kind: 'opened', at: CLAIM.at, sessionId: 'another', how: 'create' };
  await ledger.recordEnded(second, [opened, { ...settled, kind: 'returned' }]);
  await ledger.record(CLAIM, [returned]);
  const handled = { by: 'ann', reason: 'the dispute is settled' };
  const waiting = async () =>
    (await ledger.payments.page({ waiting: true }, { size: 10 })).payments.map(({ claim }) => claim);
  await expect(ledger.handleReturn('order-1', handled)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/claim 1 \(25, 2026-06-01\) or claim 2 \(25, 2026-03-02\)/),
  });
  await expect(ledger.handleReturn('order-1', { ...handled, claim: 3 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect((await waiting()).toSorted()).toEqual([1, 2]);
  expect(await ledger.handleReturn('order-1', { ...handled, claim: 2 })).toBe(true);
  expect(await ledger.handleReturn('order-1', { ...handled, claim: 2 })).toBe(false);
  expect(await waiting()).toEqual([1]);
  expect(await ledger.handleReturn('order-1', handled)).toBe(true);
  expect(await waiting()).toEqual([]);
});

test('in the ledger, a key stays taken once its money was settled or returned, although its end says that no session was created', () => {
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
