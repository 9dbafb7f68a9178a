import { afterEach, describe, expect, test } from '@jest/globals';
import { SessionNotFoundError } from '../../../../src';
import { park } from '../../../support/park';
import { jsonPayload, rawCalls } from '../../../support/raw-calls';
import { completing, leftOpen } from '../../../support/requests';
import { stateOf, until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld();
const calls = rawCalls(world);

afterEach(() => {
  world.sandbox.clearFaults();
});

const callsOf = (route: string) => world.sandbox.calls.filter((call) => call.route === route).length;

describe('a cancel of a session', () => {
  test('before the create request prevents the create request', async () => {
    await world.stopWorker();
    const createsBefore = callsOf('create');
    const session = await world.sessions.start(world.input(leftOpen()));
    await session.cancel();
    await world.startWorker();
    const result = await session.result();
    expect(result).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'neverCreated' } });
    expect(result).not.toHaveProperty('sessionId');
    expect(callsOf('create')).toBe(createsBefore);
    await expect(session.opened()).rejects.toMatchObject({ code: 'SESSION_NOT_OPENED' });
  });

  test('during the create request waits for the answer, and then cancels the session', async () => {
    const create = world.sandbox.hold('create', 'after');
    const session = await world.sessions.start(world.input(leftOpen()));
    await create.reached;
    const reply = session.cancelAndWait();
    await stateOf(session, ({ cancel }) => cancel !== undefined);
    create.release();
    expect(await reply).toMatchObject({
      outcome: 'cancelled',
      state: { status: 'Cancelled', code: 'EFT0501' },
    });
    const { sessionId = '' } = await session.result();
    expect(world.sandbox.session(sessionId)).toMatchObject({ state: { status: 'Cancelled' } });
  });

  test('between two polls does not wait for the next poll', async () => {
    const { session } = await world.sessions.open(
      world.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' }),
    );
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    expect(await session.result()).toMatchObject({ status: 'Cancelled', code: 'EFT0501' });
  });

  test('after the end changes nothing, and its outcome is alreadyEnded', async () => {
    const session = await world.sessions.start(world.input(completing()));
    const ended = await session.result();
    await session.cancel();
    expect(await session.cancelAndWait()).toMatchObject({
      outcome: 'alreadyEnded',
      state: { status: 'Completed' },
    });
    expect(await session.result()).toEqual(ended);
  });

  test('that comes just after the payor has paid ends the session as Completed, with the outcome lostToCompletion', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const cancel = world.sandbox.hold('cancel', 'before');
    const reply = session.cancelAndWait();
    await cancel.reached;
    world.payor(sessionId).completes();
    cancel.release();
    expect(await reply).toMatchObject({
      outcome: 'lostToCompletion',
      state: { status: 'Completed', code: 'EFT0301' },
    });
    expect(await session.result()).toMatchObject({
      status: 'Completed',
      cancel: { outcome: 'lostToCompletion' },
    });
  });

  test('that comes just after the expiry ends the session as Expired', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const cancel = world.sandbox.hold('cancel', 'before');
    const reply = session.cancelAndWait();
    await cancel.reached;
    world.sandbox.act(sessionId, { type: 'expired' });
    cancel.release();
    expect(await reply).toMatchObject({
      outcome: 'lostToExpiry',
      state: { status: 'Expired', code: 'EFT0601' },
    });
  });

  test('that comes just before the payor pays prevents the payment', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    world.payor(sessionId).arrives();
    const cancel = world.sandbox.hold('cancel', 'after');
    const reply = session.cancelAndWait();
    await cancel.reached;
    expect(() => {
      world.payor(sessionId).completes();
    }).toThrow('refuses');
    cancel.release();
    expect(await reply).toMatchObject({ outcome: 'cancelled', state: { code: 'EFT0501' } });
    expect(world.sandbox.session(sessionId)).toMatchObject({ state: { status: 'Cancelled' } });
  });

  test('during a poll does not wait for the poll', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const poll = world.sandbox.hold('details', 'before');
    await poll.reached;
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    poll.release();
  });

  describe('that is parked', () => {
    const cancelParked = async () => {
      const { session, lost } = await park(world);
      await session.cancel();
      await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CREATE_OUTCOME_UNKNOWN' });
      expect(await session.state()).toMatchObject({ phase: 'parked', cancel: { by: 'caller' } });
      return { session, lost };
    };

    test('is sent as soon as an operator names the lost session', async () => {
      const { session, lost } = await cancelParked();
      await session.resolveCreate({ sessionId: lost });
      expect(await session.result()).toMatchObject({
        sessionId: lost,
        status: 'Cancelled',
        code: 'EFT0501',
        cancel: { outcome: 'cancelled' },
      });
    });

    test('prevents the next create request if an operator then decides to retry', async () => {
      const { session } = await cancelParked();
      const createsBefore = callsOf('create');
      await session.resolveCreate({ retry: true });
      expect(await session.result()).toMatchObject({
        status: 'Cancelled',
        cancel: { outcome: 'possiblyCreated' },
        anomalies: [{ kind: 'possibleOrphan' }],
      });
      expect(callsOf('create')).toBe(createsBefore);
    });
  });

  test('that three callers request at once is sent once, and all callers get the same answer', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const replies = await Promise.all([
      session.cancelAndWait(),
      session.cancelAndWait(),
      session.cancelAndWait(),
    ]);
    expect(new Set(replies.map(({ outcome }) => outcome))).toEqual(new Set(['cancelled']));
    const cancels = world.sandbox.calls.filter(
      (call) => call.route === 'cancel' && call.sessionId === sessionId,
    );
    expect(cancels.length).toBe(1);
  });

  test('is answered although many callers wait for the session to open', async () => {
    await world.stopWorker();
    const session = await world.sessions.start(world.input(leftOpen()));
    await world.startWorker();
    const create = world.sandbox.hold('create', 'before');
    await create.reached;
    const waiting = Array.from({ length: 12 }, () => session.opened());
    const reply = session.cancelAndWait();
    await stateOf(session, ({ cancel }) => cancel !== undefined);
    create.release();
    expect(await reply).toMatchObject({ outcome: 'cancelled' });
    expect(new Set((await Promise.all(waiting)).map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  test('through Temporal’s own cancellation has the same effect', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    await world.client.workflow.getHandle(session.workflowId).cancel();
    expect(await session.result()).toMatchObject({
      status: 'Cancelled',
      code: 'EFT0501',
      cancel: { outcome: 'cancelled' },
    });
  });

  test('by a signal with an unreadable argument has the same effect', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    await calls.signal(session.workflowId, 'cancel', [jsonPayload('{not json')]);
    const workflow = world.client.workflow.getHandle(session.workflowId);
    const outcome = await until(
      async () => ({
        failedTasks: await calls.failedTasks(session.workflowId),
        status: (await workflow.describe()).status.name,
      }),
      ({ failedTasks, status }) => failedTasks > 0 || status !== 'RUNNING',
    );
    expect(outcome).toEqual({ failedTasks: 0, status: 'COMPLETED' });
    expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { by: 'caller' } });
  });

  test('is refused if the key is unknown', async () => {
    await expect(world.sessions.get('no-such-key').cancel()).rejects.toThrow(SessionNotFoundError);
    await expect(world.sessions.get('no-such-key').cancelAndWait()).rejects.toThrow(SessionNotFoundError);
  });
});
