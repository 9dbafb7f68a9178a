import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { PaymentSessions, PaysessionError } from '../../../src';
import { anotherPayment, completing, leftOpen } from '../../support/requests';
import { fetchHistory } from '../../../testkit/histories/recorded-history';
import { stateOf, until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { QUICK } from '../../support/worlds/world';
import { forget } from '../../support/ledger/forget';
import { ledgerWorld } from '../../support/ledger/ledger-world';

/** A Temporal server that deletes an ended workflow within 100 ms of the request to delete it. */
const temporal = useTemporalServer({ 'history.transferProcessorUpdateAckInterval': '"100ms"' });
const forgettingWorld = () => ledgerWorld({ temporalAddress: temporal.address });

afterEach(() => {
  jest.restoreAllMocks();
});

// The ledger keeps a key for longer than Temporal keeps its workflow. These tests delete the workflow, and start the key again.
describe('a key whose workflow Temporal has dropped', () => {
  test('can be read from the ledger, returns the earlier result to the same request, and is a conflict for another request', async () => {
    const world = await forgettingWorld();
    const input = world.input(completing());
    const { session, sessionId } = await world.sessions.open(input);
    const result = await session.result();
    const before = await world.factsOf(session);
    const read = new PaymentSessions(world.client, { ledger: world.ledger }).get(session.key);
    const known = { state: await read.state(), stateHistory: await read.stateHistory() };
    await forget(world, session);
    expect({ state: await read.state(), stateHistory: await read.stateHistory() }).toEqual(known);
    expect(await read.result()).toEqual(result);
    const again = await world.sessions.open(input);
    expect(again.sessionId).toBe(sessionId);
    expect(await again.session.result()).toEqual(result);
    await forget(world, session);
    const other = await world.sessions.start(anotherPayment(input));
    await expect(other.result()).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      message: expect.stringContaining('They differ in request.'),
    });
    expect(world.creates()).toBe(1);
    expect(await world.factsOf(session)).toEqual(before);
  });

  test('is reported as lost if its session has not ended, and the same request then continues that session', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen());
    const { session, sessionId } = await world.sessions.open(input);
    await forget(world, session);
    const read = new PaymentSessions(world.client, { ledger: world.ledger }).get(session.key);
    const lost = { code: 'SESSION_TERMINATED', state: { phase: 'open', status: 'Initiated', sessionId } };
    await expect(read.state()).rejects.toMatchObject(lost);
    const again = await world.sessions.open(input);
    expect(again.sessionId).toBe(sessionId);
    expect(await read.state()).toMatchObject({ phase: 'open', sessionId });
    world.payor(sessionId).completes();
    expect(await again.session.result()).toMatchObject({ paid: true, sessionId });
    expect(world.creates()).toBe(1);
  });

  test('continues its session, although the ledger answers only after the deadline', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen());
    const { session, sessionId } = await world.sessions.open(input);
    await forget(world, session);
    const away = new PaysessionError('LEDGER_UNAVAILABLE', 'the test has taken it away');
    const claim = jest.spyOn(world.ledger, 'claim').mockRejectedValue(away);
    const again = await world.sessions.start({ ...input, policy: { ...QUICK, deadline: '10s' } });
    await stateOf(again, ({ trouble }) => trouble !== undefined);
    await world.stopWorker();
    claim.mockRestore();
    await until(
      () => world.client.workflow.getHandle(again.workflowId).describe(),
      ({ startTime }) => Date.now() > startTime.getTime() + 12_000,
    );
    world.payor(sessionId).completes();
    await world.startWorker();
    expect(await again.result()).toMatchObject({ paid: true, sessionId });
    expect(world.creates()).toBe(1);
  });

  test('has its end recorded, although the answer to the claim was lost at the deadline', async () => {
    const world = await forgettingWorld();
    await world.stopWorker();
    await world.startWorker({ takesActivities: false });
    const input = { ...world.input(leftOpen()), policy: { ...QUICK, deadline: '3s' } as const };
    const session = await world.sessions.start(input);
    await until(
      () => fetchHistory(world.client, session.key),
      ({ events }) =>
        events?.some(
          ({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name === 'lookUpCreate',
        ) === true,
    );
    const claim = world.ledger.claim.bind(world.ledger);
    jest.spyOn(world.ledger, 'claim').mockImplementation(async (asked) => {
      await claim(asked);
      throw new PaysessionError('LEDGER_UNAVAILABLE', 'the answer is lost');
    });
    await world.stopWorker();
    await world.startWorker();
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_DEADLINE_PASSED' });
    expect((await world.factsOf(session)).at(-1)).toMatchObject({ failure: 'CREATE_DEADLINE_PASSED' });
    expect(world.creates()).toBe(0);
  });

  test('reads the ledger again after a wait if it is cancelled while the ledger has newer facts about the key', async () => {
    const world = await forgettingWorld();
    const claim = jest.spyOn(world.ledger, 'claim').mockResolvedValue({ outcome: 'late' });
    await world.stopWorker();
    const session = await world.sessions.start(world.input(leftOpen()));
    await session.cancel();
    await world.startWorker();
    await until(
      () => Promise.resolve(claim.mock.calls.length),
      (count) => count >= 3,
    );
    const { events } = await fetchHistory(world.client, session.key);
    expect(
      events?.filter(({ timerFiredEventAttributes: fired }) => fired != null).length,
    ).toBeGreaterThanOrEqual(2);
    claim.mockRestore();
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
    expect(world.creates()).toBe(0);
  });

  test('ends again with the same result if its first session was cancelled as possiblyCreated', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen(), { onUnknownCreate: 'park' });
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(input);
    await stateOf(session, ({ phase }) => phase === 'parked');
    await session.cancel();
    await session.resolveCreate({ retry: true });
    const result = await session.result();
    expect(result.cancel?.outcome).toBe('possiblyCreated');
    const creates = world.creates();
    await forget(world, session);
    const again = await world.sessions.start(input);
    expect(await again.result()).toEqual(result);
    expect(world.creates()).toBe(creates);
  });

  test('fails again with the same error code if its first workflow failed', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen(), { onUnknownCreate: 'park' });
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(input);
    await stateOf(session, ({ phase }) => phase === 'parked');
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    await forget(world, session);
    const again = await world.sessions.start(input);
    await expect(again.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  });
});
