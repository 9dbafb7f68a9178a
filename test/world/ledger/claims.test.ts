import { describe, expect, test } from '@jest/globals';
import type { LedgerClaim, LedgerFact } from '../../../src/protocol/ledger/facts';
import { CLAIM } from '../../support/ledger/claim';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

const at = '2026-03-01T12:00:00.000Z';

const SESSION_ID = '6f1c0a3e-5b7d-4c8e-9a2f-0d1e2f3a4b5c';

const claimOf = (own: Partial<LedgerClaim> = {}): LedgerClaim => ({ ...CLAIM, ...own });

const opened: Extract<LedgerFact, { kind: 'opened' }> = {
  kind: 'opened',
  at,
  sessionId: 'session-1',
  how: 'create',
};
const endOf = (own: Partial<Extract<LedgerFact, { kind: 'ended' }>>): LedgerFact => ({
  kind: 'ended',
  at,
  firstRunId: 'run-1',
  paid: false,
  leftNothing: false,
  ...own,
});

// A claim records that a key belongs to one workflow. A worker claims the key before it sends the create request.

describe('the ledger’s claim of a key', () => {
  test('succeeds for the first workflow, and again if that workflow repeats it', async () => {
    const { ledger } = await testLedger();
    expect(await ledger.claim(claimOf())).toEqual({ outcome: 'claimed' });
    expect(await ledger.claim(claimOf())).toEqual({ outcome: 'claimed' });
    expect((await ledger.entriesOf('order-1')).map(({ fact }) => fact.kind)).toEqual(['claimed']);
  });

  test('is a conflict for another request, and names the paths of the fields that differ', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    const other = claimOf({
      firstRunId: 'run-2',
      fingerprint: 'another',
      account: 'other-shop',
      request: { ...CLAIM.request, amount: 26 },
    });
    expect(await ledger.claim(other)).toEqual({
      outcome: 'conflict',
      differences: ['account', 'request.amount'],
    });
  });

  test('succeeds for only one of 20 workflows that claim the key at once with different requests', async () => {
    const { url } = await testLedger();
    const one = openLedger(url);
    const other = openLedger(url);
    const claims = Array.from({ length: 20 }, (_claim, index) =>
      (index % 2 === 0 ? one : other).claim(
        claimOf({ firstRunId: `run-${index}`, fingerprint: `request-${index}` }),
      ),
    );
    const outcomes = (await Promise.all(claims)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(19);
  });

  test('applies to one environment only: in another environment, the key is free', async () => {
    const { url, ledger } = await testLedger({ environment: 'production' });
    await ledger.claim(claimOf());
    const other = openLedger(url, { environment: 'staging' });
    expect(await other.claim(claimOf({ firstRunId: 'run-2', fingerprint: 'another' }))).toEqual({
      outcome: 'claimed',
    });
  });

  test('succeeds for a key of 200 emoji', async () => {
    const { ledger } = await testLedger();
    const key = '🧾'.repeat(200);
    expect(await ledger.claim(claimOf({ key }))).toEqual({ outcome: 'claimed' });
    expect(await ledger.entriesOf(key)).toHaveLength(1);
  });
});

test('if several keys record the same session of the payment service at once, the session belongs to one of them', async () => {
  const { ledger } = await testLedger();
  const keys = ['order-1', 'order-2', 'order-3'];
  for (const key of keys) await ledger.claim(claimOf({ key, firstRunId: `run-of-${key}` }));
  const recorded = await Promise.allSettled(
    keys.map((key, index) => {
      // The UUID is the same in upper and in lower case.
      const sessionId = index === 0 ? SESSION_ID : SESSION_ID.toUpperCase();
      return ledger.record({ key, firstRunId: `run-of-${key}` }, [{ ...opened, sessionId }]);
    }),
  );
  const owner = await ledger.followerOf(SESSION_ID);
  const refused = recorded.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(refused).toHaveLength(2);
  for (const reason of refused)
    expect(reason).toMatchObject({
      code: 'SESSION_FOLLOWED',
      message: expect.stringContaining(`“${owner}”`),
    });
});

// The Temporal server drops ended workflows after its retention time. Then the same key can start a second workflow, and the
// ledger answers that workflow’s claim (`later`) from the entries of the first workflow.

describe('in the ledger, a key whose first workflow Temporal has dropped', () => {
  const later = claimOf({ firstRunId: 'run-2' });

  test('leads a second workflow with the same request to the session of the first', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [opened]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(await ledger.claim(later)).toEqual({ outcome: 'created', sessionId: 'session-1' });
  });

  test('reports the number of lost create requests, until an operator has named the session', async () => {
    const { ledger } = await testLedger();
    const lost = (attempt: string): LedgerFact => ({
      kind: 'createUnknown',
      at,
      attempt,
      code: 'SERVICE_INTERRUPTED',
    });
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [lost('run-1:1'), lost('run-1:2'), opened]);
    expect(await ledger.claim(claimOf())).toEqual({
      outcome: 'created',
      sessionId: 'session-1',
      lostCreates: 2,
    });
    await ledger.record(CLAIM, [{ ...opened, sessionId: 'session-2', how: 'adopt' }]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'created', sessionId: 'session-2' });
  });

  test('returns the first workflow’s result if the session has ended', async () => {
    const { ledger } = await testLedger();
    const result = { key: 'order-1', paid: true, status: 'Completed' };
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [opened, endOf({ paid: true, result: result as never })]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'ended', result });
    const another = claimOf({ firstRunId: 'run-2', fingerprint: 'another' });
    expect(await ledger.claim(another)).toEqual({ outcome: 'conflict' });
  });

  test('returns the first workflow’s error code if the workflow has failed', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [endOf({ failure: 'CREATE_ABANDONED' })]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'failed', code: 'CREATE_ABANDONED' });
  });

  // The first workflow has only claimed the key. It may have sent a create request before it was dropped.
  test('answers “unknown” if no outcome of the create request is recorded, until the second workflow counts that request as lost', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    const unknown = { outcome: 'unknown', lostCreates: 1 };
    expect([await ledger.claim(later), await ledger.claim(later)]).toEqual([unknown, unknown]);
    expect(await ledger.claim({ ...later, lostCreates: 1 })).toEqual({ outcome: 'claimed' });
  });

  test('is free for another request if the session certainly never existed', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [endOf({ failure: 'SERVICE_REQUEST_REJECTED', leftNothing: true })]);
    const another = claimOf({ firstRunId: 'run-2', fingerprint: 'another' });
    expect(await ledger.claim(another)).toEqual({ outcome: 'claimed' });
    expect(await ledger.claim(claimOf({ firstRunId: 'run-3' }))).toEqual({ outcome: 'conflict' });
  });

  // `leftNothing` in an end says that the workflow never created a session. An entry about a lost create request contradicts it.
  test('is not free if a lost create request is recorded, although the workflow’s end says that no session was created', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    const lost: LedgerFact = { kind: 'createUnknown', at, attempt: 'run-0:1', code: 'SERVICE_INTERRUPTED' };
    await ledger.record(CLAIM, [lost, endOf({ failure: 'CREATE_DEADLINE_PASSED', leftNothing: true })]);
    const another = claimOf({ firstRunId: 'run-2', fingerprint: 'another' });
    expect(await ledger.claim(another)).toEqual({ outcome: 'conflict' });
  });

  test('still leads to the session if the first workflow’s end is recorded after the second workflow’s claim', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    await ledger.claim(later);
    await ledger.record(CLAIM, [opened, endOf({ failure: 'SERVICE_REQUEST_REJECTED', leftNothing: true })]);
    const third = claimOf({ firstRunId: 'run-3' });
    expect(await ledger.claim(third)).toEqual({ outcome: 'created', sessionId: 'session-1' });
  });

  // Both PostgreSQL and Temporal were restored from backups. So two workflows of the key record the same session.
  test('counts its session once if two workflows of the key record the same session', async () => {
    const { ledger } = await testLedger();
    const paid = { paid: true, status: 'Completed', code: 'EFT0301', amount: 25 } as const;
    await ledger.claim(claimOf());
    await ledger.recordEnded(claimOf({ firstRunId: 'run-2' }), [
      opened,
      endOf({ firstRunId: 'run-2', ...paid }),
    ]);
    await ledger.recordEnded(claimOf(), [opened, endOf(paid)]);
    const payments = [];
    for await (const payment of ledger.payments.all({})) payments.push(payment);
    expect(payments).toMatchObject([{ claim: 1, sessionId: opened.sessionId, paid: true }]);
    expect(await ledger.payments.totals({})).toMatchObject({ count: 1, sums: [{ amount: '25' }] });
    expect(await ledger.recordEnded(claimOf({ firstRunId: 'run-2' }), [opened])).toBe(0);
    expect((await ledger.verify()).fault).toBeUndefined();
  });

  // The second workflow has claimed the key. Then a restored Temporal server runs the first workflow again, to its end.
  test('records the ends of two workflows of the same session, and counts the session once', async () => {
    const { ledger } = await testLedger();
    const paid = { paid: true, status: 'Completed', code: 'EFT0301', amount: 25 } as const;
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [opened]);
    expect(await ledger.claim(later)).toMatchObject({ outcome: 'created' });
    expect(await ledger.record(CLAIM, [opened, endOf(paid)])).toBe(1);
    const listed = async () => (await ledger.payments.page({}, { size: 10 })).payments;
    expect(await listed()).toMatchObject([{ claim: 2, outcome: 'open', sessionId: opened.sessionId }]);
    await ledger.record({ ...CLAIM, firstRunId: 'run-2' }, [endOf({ firstRunId: 'run-2', ...paid })]);
    expect(await listed()).toMatchObject([{ claim: 2, paid: true, sessionId: opened.sessionId }]);
    expect(await ledger.payments.totals({})).toMatchObject({ count: 1, sums: [{ amount: '25' }] });
    const ends = (await ledger.entriesOf('order-1')).filter(({ fact }) => fact.kind === 'ended');
    expect(ends).toMatchObject([{ claim: 1 }, { claim: 2 }]);
    expect((await ledger.verify()).fault).toBeUndefined();
  });

  test('returns the later result of a workflow that ended, was reset, and ended again', async () => {
    const { ledger } = await testLedger();
    const result = { key: 'order-1', paid: true, status: 'Completed' };
    await ledger.claim(claimOf());
    await ledger.record(CLAIM, [endOf({ failure: 'CREATE_ABANDONED' })]);
    await ledger.record(CLAIM, [opened, endOf({ paid: true, result: result as never })]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'ended', result });
  });

  // A worker records the end before Temporal accepts the workflow’s last step. If Temporal refuses the step, the workflow repeats
  // it with another result, here with a cancel that came too late.
  test('returns the result that was recorded last if a workflow’s last step was repeated', async () => {
    const { ledger } = await testLedger();
    const result = { key: 'order-1', paid: true, status: 'Completed' };
    const cancel = { requestedAt: at, by: 'caller', outcome: 'lostToCompletion' };
    await ledger.claim(claimOf());
    for (const recorded of [result, { ...result, cancel }, { ...result, cancel }])
      await ledger.record(CLAIM, [endOf({ paid: true, result: recorded as never })]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'ended', result: { ...result, cancel } });
    expect(await ledger.entriesOf('order-1')).toHaveLength(3);
  });

  test('returns the result of the workflow’s last step, although a slow worker reports an earlier step afterwards', async () => {
    const { ledger } = await testLedger();
    const seenAt = (firstSeenAt: string) => ({
      key: 'order-1',
      paid: true,
      status: 'Completed',
      stateHistory: [{ firstSeenAt }],
    });
    const [sooner, later] = ['2026-03-01T12:00:01.000Z', '2026-03-01T12:00:02.000Z'];
    const recordEndSeenAt = (seen: string) =>
      ledger.record({ key: 'order-1', firstRunId: 'run-1' }, [
        endOf({ at: seen, paid: true, result: seenAt(seen) as never }),
      ]);
    await ledger.claim(claimOf());
    expect([await recordEndSeenAt(later), await recordEndSeenAt(sooner)]).toEqual([1, 0]);
    const again = claimOf({ firstRunId: 'run-2' });
    expect(await ledger.claim(again)).toEqual({ outcome: 'ended', result: seenAt(later) });
  });

  test('leads to the session that an operator has named, although the lost answer to the create request arrives later', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claimOf());
    const named: LedgerFact = { kind: 'opened', at, sessionId: 'session-2', how: 'adopt' };
    await ledger.record(CLAIM, [named]);
    await ledger.record(CLAIM, [opened]);
    expect(await ledger.claim(later)).toEqual({ outcome: 'created', sessionId: 'session-2' });
  });
});
