import { afterEach, describe, expect, test } from '@jest/globals';
import { SessionNotFoundError } from '../../src';
import { eft } from '../support/requests';
import { stateOf } from '../support/wait';
import { useWorld } from '../support/world';

const world = useWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

const staysInitiated = () => world.input(eft('sandbox-stays-initiated'));
const callsOf = (route: string) => world.sandbox.calls.filter((call) => call.route === route).length;

describe('a cancel', () => {
  test('before the create: nothing is ever created', async () => {
    await world.stopWorker();
    const createsBefore = callsOf('create');
    const session = await world.sessions.start(staysInitiated());
    await session.cancel();
    await world.startWorker();
    const result = await session.result();
    expect(result).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'neverCreated' } });
    expect(result).not.toHaveProperty('sessionId');
    expect(callsOf('create')).toBe(createsBefore);
    await expect(session.opened()).rejects.toMatchObject({ code: 'SESSION_NOT_OPENED' });
  });

  test('during the create: the create finishes, then its session is cancelled', async () => {
    const create = world.sandbox.hold('create', 'after');
    const session = await world.sessions.start(staysInitiated());
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

  test('while waiting interrupts the wait', async () => {
    const { session } = await world.sessions.open(
      world.input(eft('sandbox-stays-initiated'), { fastestPoll: '1h', slowestPoll: '1h' }),
    );
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    expect(await session.result()).toMatchObject({ status: 'Cancelled', code: 'EFT0501' });
  });

  test('after the end changes nothing and says so', async () => {
    const session = await world.sessions.start(world.input(eft('sandbox-completes')));
    const ended = await session.result();
    await session.cancel();
    expect(await session.cancelAndWait()).toMatchObject({
      outcome: 'alreadyEnded',
      state: { status: 'Completed' },
    });
    expect(await session.result()).toEqual(ended);
  });

  test('that loses to a completion ends as Completed and says so', async () => {
    const { session, sessionId } = await world.sessions.open(staysInitiated());
    const cancel = world.sandbox.hold('cancel', 'before');
    const reply = session.cancelAndWait();
    await cancel.reached;
    world.sandbox.act(sessionId, { type: 'payorStarted' });
    world.sandbox.act(sessionId, { type: 'completed' });
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

  test('that loses to the expiry ends as Expired and says so', async () => {
    const { session, sessionId } = await world.sessions.open(staysInitiated());
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

  test('that wins against a completion leaves the payor nothing to complete', async () => {
    const { session, sessionId } = await world.sessions.open(staysInitiated());
    world.sandbox.act(sessionId, { type: 'payorStarted' });
    const cancel = world.sandbox.hold('cancel', 'after');
    const reply = session.cancelAndWait();
    await cancel.reached;
    world.sandbox.act(sessionId, { type: 'completed' });
    cancel.release();
    expect(await reply).toMatchObject({ outcome: 'cancelled', state: { code: 'EFT0501' } });
    expect(world.sandbox.session(sessionId)).toMatchObject({ state: { status: 'Cancelled' } });
  });

  test('while a poll is under way does not wait for it', async () => {
    const { session } = await world.sessions.open(staysInitiated());
    const poll = world.sandbox.hold('details', 'before');
    await poll.reached;
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    poll.release();
  });

  describe('while the create is parked', () => {
    const park = async () => {
      world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
      const input = world.input(eft('sandbox-stays-initiated'), { onUnknownCreate: 'park' });
      const session = await world.sessions.start(input);
      await stateOf(session, ({ phase }) => phase === 'parked');
      await session.cancel();
      await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CREATE_OUTCOME_UNKNOWN' });
      expect(await session.state()).toMatchObject({ phase: 'parked', cancel: { by: 'caller' } });
      const lost = world.sandbox.calls.findLast(({ route }) => route === 'create')?.sessionId ?? '';
      return { session, lost };
    };

    test('is kept, and made as soon as the session is named', async () => {
      const { session, lost } = await park();
      await session.resolveCreate({ sessionId: lost });
      expect(await session.result()).toMatchObject({
        sessionId: lost,
        status: 'Cancelled',
        code: 'EFT0501',
        cancel: { outcome: 'cancelled' },
      });
    });

    test('is kept, and nothing is created again when a person says so', async () => {
      const { session } = await park();
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

  test('many at once are one cancel with one answer', async () => {
    const { session, sessionId } = await world.sessions.open(staysInitiated());
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
    const session = await world.sessions.start(staysInitiated());
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

  test('by cancelling the workflow is a cancel as any other', async () => {
    const { session } = await world.sessions.open(staysInitiated());
    await world.client.workflow.getHandle(session.workflowId).cancel();
    expect(await session.result()).toMatchObject({
      status: 'Cancelled',
      code: 'EFT0501',
      cancel: { outcome: 'cancelled' },
    });
  });

  test('of an unknown key is refused', async () => {
    await expect(world.sessions.get('no-such-key').cancel()).rejects.toThrow(SessionNotFoundError);
    await expect(world.sessions.get('no-such-key').cancelAndWait()).rejects.toThrow(SessionNotFoundError);
  });
});
