import { describe, expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { workflowIdOf } from '../../../src/protocol/names';
import { park } from '../../support/park';
import { completing, leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { startBusinessWorker } from '../../support/worlds/business-worker';
import { startRewritingProxy } from '../../support/service/rewriting-proxy';
import { useSandbox } from '../../support/worlds/sandbox';
import { payorOf } from '../../support/worlds/world';
import { forget } from '../../support/ledger/forget';
import { ledgerWorld, type LedgerWorld } from '../../support/ledger/ledger-world';
import { closesLater, testLedger } from '../../support/ledger/test-ledger';
import { swept } from '../../support/ledger/swept';

/** A Temporal server that deletes an ended workflow within 100 ms of the request to delete it. */
const temporal = useTemporalServer({ 'history.transferProcessorUpdateAckInterval': '"100ms"' });
const world = () => ledgerWorld({ temporalAddress: temporal.address });

/** Returns the kinds of the facts of each claim of a key. */
async function claimsOf({ ledger }: LedgerWorld, key: string): Promise<readonly (readonly string[])[]> {
  const claims: string[][] = [];
  for (const { claim, fact } of await ledger.entriesOf(key)) (claims[claim - 1] ??= []).push(fact.kind);
  return claims;
}

describe('a sweep of the ledger', () => {
  test('records the end of a workflow in the claim of that workflow, and not in the claim of a later one with the same key', async () => {
    const own = await world();
    await own.stopWorker();
    const input = own.input(leftOpen());
    const first = await own.sessions.start(input);
    await first.cancel();
    await own.startWorker({ hasLedger: false });
    expect(await first.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
    await own.stopWorker();
    await own.startWorker();
    const { session, sessionId } = await own.sessions.open(input);
    const runs = await swept(own, input.key);
    expect(runs).toEqual([{ key: input.key, added: 0 }]);
    const [listed] = (await own.ledger.payments.page({ text: input.key }, { size: 2 })).payments;
    expect(listed).toMatchObject({ outcome: 'open', sessionId, money: 'open' });
    own.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ paid: true });
    expect(await claimsOf(own, input.key)).toEqual([['claimed', 'opened', 'state', 'state', 'ended']]);
  });

  test('records the workflows of a key in the order of their starts', async () => {
    const own = await world();
    await own.stopWorker();
    const input = own.input(leftOpen());
    for (let time = 0; time < 2; time += 1) {
      const session = await own.sessions.start(input);
      await session.cancel();
      await own.startWorker({ hasLedger: false });
      expect(await session.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
      await own.stopWorker();
    }
    const runsListed = () => own.client.workflow.count(`WorkflowId = '${workflowIdOf(input.key)}'`);
    await until(runsListed, ({ count }) => count === 2);
    await swept(own, input.key);
    const startedAt = (await own.ledger.entriesOf(input.key)).flatMap(({ fact }) =>
      fact.kind === 'claimed' ? [fact.at] : [],
    );
    expect(startedAt).toHaveLength(2);
    expect(startedAt).toEqual(startedAt.toSorted());
  });

  test('records nothing about a workflow that has refused its input', async () => {
    const own = await world();
    const { key } = own.input(completing());
    const refused = own.client.workflow.execute('paymentSession', {
      taskQueue: own.taskQueue,
      workflowId: workflowIdOf(key),
      args: [{ key, request: {} }],
    });
    await expect(refused).rejects.toMatchObject({ cause: { type: 'INVALID_INPUT' } });
    expect(await swept(own, key)).toEqual([{ key, added: 0 }]);
    expect(await own.ledger.entriesOf(key)).toEqual([]);
  });

  test('records a second end of a workflow, also if it is only half a second later than the first', async () => {
    const own = await world();
    const input = own.input(completing());
    const session = await own.sessions.start(input);
    const result = await session.result();
    const [end] = (await own.factsOf(session)).filter((fact) => fact.kind === 'ended');
    if (end?.kind !== 'ended') throw new Error('the end is recorded');
    // The ledger has an end from an earlier try of the last workflow task, with another result. Temporal refused that task.
    const before = new Date(Date.parse(end.at) - 500).toISOString();
    const refused: LedgerFact = {
      ...end,
      at: before,
      paid: false,
      status: 'Expired',
      result: { ...result, paid: false },
    };
    const { ledger } = await testLedger();
    const claim = { ...(await own.ledger.entriesOf(input.key))[0]?.fact, key: input.key } as never;
    await ledger.recordEnded(claim, [refused]);
    expect(await swept({ ...own, ledger }, input.key)).toEqual([{ key: input.key, added: 4 }]);
    const [listed] = (await ledger.payments.page({ text: input.key }, { size: 2 })).payments;
    expect(listed).toMatchObject({ paid: true, status: 'Completed' });
    expect(await swept({ ...own, ledger }, input.key)).toEqual([{ key: input.key, added: 0 }]);
  });

  test('records the session of a terminated workflow, so that a later start with the same request continues the session', async () => {
    const own = await world();
    await own.stopWorker();
    await own.startWorker({ hasLedger: false });
    const input = own.input(leftOpen());
    const { session, sessionId } = await own.sessions.open(input);
    await own.client.workflow.getHandle(session.workflowId).terminate();
    expect(await swept(own, input.key)).toEqual([{ key: input.key, added: 3 }]);
    await forget(own, session);
    await own.stopWorker();
    await own.startWorker();
    const again = await own.sessions.open(input);
    expect(again.sessionId).toBe(sessionId);
    expect(own.creates()).toBe(1);
  });
});

describe('with a ledger, a session of the payment service', () => {
  test('that one key follows cannot be adopted by another key, also after Temporal has dropped the first key’s workflow', async () => {
    const own = await world();
    const first = await own.sessions.open(own.input(leftOpen()));
    own.payor(first.sessionId).completes();
    await first.session.result();
    await forget(own, first.session);
    const { session } = await park(own);
    const preview = await session.previewAdopt(first.sessionId);
    expect(preview.refusal).toMatchObject({ code: 'SESSION_FOLLOWED', followedBy: first.session.key });
    const { decisions } = await session.resolveCreate({ sessionId: first.sessionId });
    expect(decisions).toMatchObject([{ result: 'SESSION_FOLLOWED', followedBy: first.session.key }]);
    expect(await own.ledger.followerOf(first.sessionId)).toBe(first.session.key);
  });

  test('whose key was parked before the ledger was set up is claimed when an operator adopts it', async () => {
    const own = await world();
    await own.stopWorker();
    await own.startWorker({ hasLedger: false });
    const { session, lost } = await park(own);
    await own.stopWorker();
    await own.startWorker();
    await session.resolveCreate({ sessionId: lost });
    expect(await claimsOf(own, session.key)).toEqual([['claimed', 'opened', 'decision']]);
    await own.client.workflow.getHandle(session.workflowId).terminate();
    await forget(own, session);
    const again = await own.sessions.open({
      ...own.input(leftOpen(), { onUnknownCreate: 'park' }),
      key: session.key,
    });
    expect(again.sessionId).toBe(lost);
  });

  test('whose claim was lost in a failover is claimed again once it is created', async () => {
    const own = await world();
    const create = own.sandbox.hold('create', 'before');
    const input = own.input(leftOpen());
    const session = await own.sessions.start(input);
    await create.reached;
    for (const table of ['entries', 'session_keys', 'claims', 'unsequenced']) {
      await own.database.query(`alter table paysession_ledger.${table} disable trigger user`);
      await own.database.query(`delete from paysession_ledger.${table}`);
    }
    create.release();
    const { sessionId } = await session.opened();
    await until(
      () => claimsOf(own, input.key),
      (claims) => claims.length > 0,
    );
    expect(await claimsOf(own, input.key)).toEqual([['claimed', 'opened', 'state']]);
    expect(await own.ledger.followerOf(sessionId)).toBe(input.key);
    own.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ paid: true });
    expect(await claimsOf(own, input.key)).toEqual([['claimed', 'opened', 'state', 'state', 'ended']]);
  });

  test('that is paid is a conflict for a child workflow with the same key, after Temporal has dropped the first workflow', async () => {
    const own = await world();
    const input = own.input(completing());
    const session = await own.sessions.start(input);
    expect(await session.result()).toMatchObject({ paid: true });
    await forget(own, session);
    const business = await startBusinessWorker(temporal.address, 'orders');
    closesLater(() => business.stop());
    const args = [input, { taskQueue: own.taskQueue }];
    const order = own.client.workflow.execute('takesPayment', {
      taskQueue: 'orders',
      workflowId: 'order',
      args,
    });
    await expect(order).rejects.toMatchObject({ cause: { cause: { type: 'SESSION_CONFLICT' } } });
  });
});

const truth = useSandbox({ paceMs: 50, maxCalls: 100_000 });

/** Returns a key with an open session, and a payment service that answers the create requests of other keys with that same session. */
async function repeatedAnswers() {
  let answered: string | undefined;
  const service = await startRewritingProxy(truth.url, (body, path) =>
    answered !== undefined && path.endsWith('/sessions') ? { ...body, sessionId: answered } : body,
  );
  closesLater(() => service.close());
  const own = await ledgerWorld({
    temporalAddress: temporal.address,
    account: { baseUrl: service.baseUrl },
  });
  const first = await own.sessions.open(own.input(leftOpen()));
  answered = first.sessionId;
  return { own, first, stop: () => (answered = undefined) };
}

describe('with a ledger, a create request that the service answers with another key’s session', () => {
  test.each(['retry', 'park'] as const)(
    'parks its own session with the id, and the other key keeps its payment (policy: %s)',
    async (onUnknownCreate) => {
      const { own, first, stop } = await repeatedAnswers();
      const { sessionId } = first;
      const session = await own.sessions.start(own.input(leftOpen(), { onUnknownCreate }));
      const created = await stateOf(session, ({ phase }) => phase !== 'creating');
      expect(created).toMatchObject({
        phase: 'parked',
        parks: [{ code: 'SERVICE_WRONG_SESSION', sessionId }],
        trouble: { message: expect.stringContaining('a session that another key follows') },
      });
      expect(created).not.toHaveProperty('sessionId');

      const { refusal } = await session.previewAdopt(sessionId);
      expect(refusal).toMatchObject({ code: 'SESSION_FOLLOWED', followedBy: first.session.key });
      const { decisions } = await session.resolveCreate({ sessionId });
      expect(decisions).toMatchObject([{ result: 'SESSION_FOLLOWED', followedBy: first.session.key }]);

      await session.resolveCreate({ retry: true });
      await stateOf(session, ({ phase, parks }) => phase === 'parked' && parks?.length === 2);
      stop();
      await session.resolveCreate({ retry: true });
      const opened = await session.opened();
      expect(opened.sessionId).not.toBe(sessionId);
      for (const paid of [first, opened]) payorOf(truth, paid.sessionId).completes();
      expect(await session.result()).toMatchObject({ paid: true, sessionId: opened.sessionId });
      expect(await first.session.result()).toMatchObject({ paid: true, sessionId });
      expect(await own.ledger.followerOf(sessionId)).toBe(first.session.key);
      expect(await own.ledger.followerOf(opened.sessionId)).toBe(session.key);
    },
  );

  test('keeps its key taken after an operator abandons it, because the request may have opened another session', async () => {
    const { own, first } = await repeatedAnswers();
    const input = own.input(leftOpen());
    const session = await own.sessions.start(input);
    await stateOf(session, ({ phase }) => phase !== 'creating');
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    const kinds = ['claimed', 'createUnknown', 'parked', 'anomaly', 'decision', 'anomaly', 'ended'];
    expect(await claimsOf(own, input.key)).toEqual([kinds]);
    const [listed] = (await own.ledger.payments.page({ text: input.key }, { size: 2 })).payments;
    expect(listed).toMatchObject({ outcome: 'failed', failure: 'CREATE_ABANDONED', paid: false });
    expect(listed).not.toHaveProperty('sessionId');
    expect(await own.ledger.followerOf(first.sessionId)).toBe(first.session.key);
  });
});

test('a workflow whose id does not match the key in its input is refused', async () => {
  const own = await world();
  const input = own.input(completing());
  const { taskQueue } = own;
  const refused = own.client.workflow.execute('paymentSession', {
    taskQueue,
    workflowId: 'other',
    args: [input],
  });
  await expect(refused).rejects.toMatchObject({ cause: { type: 'INVALID_INPUT' } });
  expect(own.creates()).toBe(0);
});
