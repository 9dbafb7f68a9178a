import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  isPaysessionError,
  PaymentSessions,
  type OpenedPaymentSession,
  type PaymentSessionHandle,
  type SessionState,
} from '../../../../src';
import { leftOpen } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { otherWorkers } from '../../../support/worlds/other-workers';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { useWorld } from '../../../support/worlds/use-world';
import { DEFAULT_CLIENT } from '../../../../sandbox/default-client';
import { createActivities } from '../../../../activities';
import { SettingsError } from '../../../../src/errors';
import { ServiceClients } from '../../../../worker';
import { park } from '../../../support/park';

const waits = ({ phase, trouble }: SessionState) => phase === 'creating' && trouble !== undefined;

describe.each([
  ['has a wrong secret', 'SERVICE_CREDENTIALS_REJECTED', { account: { clientSecret: 'wrong' } }, 'default'],
  ['lacks the account', 'UNKNOWN_ACCOUNT', {}, 'second'],
] as const)('if a worker %s, a create request', (_worker, code, options, account) => {
  const world = useWorld(options);
  const others = () => otherWorkers(world);
  const input = () => ({ ...world.input(leftOpen()), account });
  /** Returns sessions whose calls wait longer than by default, for a busy machine. */
  const sessions = () =>
    new PaymentSessions(world.client, { taskQueue: world.taskQueue, openTimeoutMs: 120_000 });
  const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
  let workers: ReturnType<typeof others> | undefined;

  const startGoodWorker = async () => {
    const { clientId, clientSecret } = DEFAULT_CLIENT;
    const good = { ...world.account, clientId, clientSecret };
    workers = others();
    await workers.start({ default: good, second: good });
  };

  /**
   * Opens a session, and repeats the call if it fails. The call fails if the unusable worker gets the create activity each time.
   * This happens with one of 256 create requests, or more often on a busy machine. The session goes on meanwhile.
   */
  const openAtLast = async (): Promise<OpenedPaymentSession> => {
    const payment = input();
    for (;;) {
      try {
        return await sessions().open(payment);
      } catch (error) {
        if (!isPaysessionError(error, code)) throw error;
      }
    }
  };

  /** Stops the unusable worker, and cancels the sessions. */
  const cancel = async (open: readonly PaymentSessionHandle[]) => {
    await world.stopWorker();
    await Promise.all(open.map((session) => session.cancel()));
    await Promise.all(open.map((session) => session.result()));
    await world.startWorker();
  };

  afterEach(async () => {
    await workers?.stop();
    workers = undefined;
  });

  test('is sent by another worker, for each of six payments', async () => {
    await startGoodWorker();
    const opened = await Promise.all(Array.from({ length: 6 }, openAtLast));
    for (const { session } of opened)
      expect(await session.state()).toMatchObject({ phase: 'open', anomalies: [] });
    await cancel(opened.map(({ session }) => session));
  });

  test('and a cancel are sent by another worker', async () => {
    await startGoodWorker();
    const opened = await Promise.all(Array.from({ length: 6 }, openAtLast));
    const replies = await Promise.all(opened.map(({ session }) => session.cancelAndWait()));
    expect(new Set(replies.map(({ outcome }) => outcome))).toEqual(new Set(['cancelled']));
  });

  test('and polls, refreshes and previews are made by another worker', async () => {
    await startGoodWorker();
    const opened = await Promise.all(Array.from({ length: 6 }, openAtLast));
    const [toFollow, toCancel] = [opened.slice(0, 3), opened.slice(3)];
    await Promise.all(opened.map(({ session }) => session.refresh()));
    for (const { sessionId } of toFollow) world.payor(sessionId).completes();
    const results = await Promise.all(toFollow.map(({ session }) => session.result()));
    expect(new Set(results.map(({ paid }) => paid))).toEqual(new Set([true]));
    // The service refuses the cancel. So a worker must read the details to see the state.
    world.sandbox.failNext('cancel', { kind: 'status', status: 400 }, 1_000);
    for (const { sessionId } of toCancel) world.payor(sessionId).completes();
    const replies = await Promise.all(toCancel.map(({ session }) => session.cancelAndWait()));
    expect(new Set(replies.map(({ outcome }) => outcome))).toEqual(new Set(['lostToCompletion']));
    world.sandbox.clearFaults();
  });

  test('waits and is reported as trouble, and is sent once the credentials are fixed', async () => {
    const before = creates();
    const payment = input();
    await expect(sessions().open(payment)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('keeps waiting'),
    });
    const other = await world.sessions.start(input());
    expect(await stateOf(other, waits)).toMatchObject({ trouble: { code } });
    expect(creates()).toBe(before);
    await startGoodWorker();
    // The repeated call does not wait for the end of the pause. The other session opens without a repeated call.
    expect(await sessions().open(payment)).toMatchObject({ sessionId: expect.any(String) });
    expect(await stateOf(other, ({ phase }) => phase === 'open')).toMatchObject({ anomalies: [] });
    expect(creates()).toBe(before + 2);
    await cancel([other, world.sessions.get(payment.key)]);
  });

  test('fails a repeated call with the same error', async () => {
    const session = await sessions().start(input());
    for (let time = 0; time < 2; time += 1) await expect(session.opened()).rejects.toMatchObject({ code });
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
  });
});

describe('a call that a worker with malformed settings cannot make is made by another worker:', () => {
  const world = useWorld({ startsWorker: false });
  /** A policy with so few polls that they do not disturb the tests. */
  const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
  const TIMES = 3;

  /** Runs `work` with a worker on which `activity` fails a few times first, as if the worker’s settings were malformed. */
  async function whereFails(activity: string, work: () => Promise<void>): Promise<void> {
    let times = 0;
    const clients = new ServiceClients({ default: world.account });
    const connection = await NativeConnection.connect({ address: world.temporalAddress });
    const worker = await Worker.create({
      connection,
      taskQueue: world.taskQueue,
      activities: createActivities({
        serviceOf: (account) => {
          if (Context.current().info.activityType === activity && (times += 1) <= TIMES)
            throw new SettingsError([{ path: 'clientSecret', message: 'is malformed' }]);
          return clients.of(account);
        },
        readState: () => Promise.reject(new Error('unused')),
        completion: world.client.activity,
      }),
    });
    try {
      await worker.runUntil(work);
    } finally {
      await clients.close();
      await connection.close();
    }
    expect(times).toBeGreaterThan(TIMES);
  }

  beforeAll(() => world.startWorker({ takesActivities: false }));

  test('a create request opens the session', () =>
    whereFails('createSession', async () => {
      const { session } = await world.sessions.open(world.input(leftOpen()));
      expect(await session.state()).toMatchObject({ phase: 'open', anomalies: [] });
      await session.cancelAndWait();
    }));

  test('a cancel cancels the session', () =>
    whereFails('cancelSession', async () => {
      const { session } = await world.sessions.open(world.input(leftOpen()));
      expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    }));

  test('a refresh returns the new state', () =>
    whereFails('pollSession', async () => {
      const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), SELDOM));
      world.payor(sessionId).completes();
      expect(await session.refresh()).toMatchObject({ status: 'Completed', paid: true });
    }));

  test('a preview returns the service’s session', () =>
    whereFails('findSession', async () => {
      const { session, lost } = await park(world);
      expect(await session.previewAdopt(lost)).toMatchObject({ adoptable: true });
      await session.resolveCreate({ abandon: true });
    }));

  test('an adoption adopts the session', () =>
    whereFails('findSession', async () => {
      const { session, lost } = await park(world);
      expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({
        phase: 'open',
        decisions: [{ decision: 'adopt', result: 'applied' }],
      });
      await session.cancelAndWait();
    }));

  test('usually, `createWorker` refuses such settings', async () => {
    const started = otherWorkers(world).start({ default: { ...world.account, clientSecret: 'secret\n' } });
    await expect(started).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
  });
});

describe('in virtual time, a create request that no worker can send', () => {
  const world = usePaymentWorld();
  const input = () => ({ key: `test-${randomUUID()}`, request: leftOpen(), account: 'nobody' });

  test('is tried until its deadline, with longer and longer waits', async () => {
    const session = await world.sessions.start({ ...input(), policy: { deadline: '1d' } });
    await world.advance('23h');
    const state = await session.state();
    expect(state).toMatchObject({ phase: 'creating', trouble: { code: 'UNKNOWN_ACCOUNT' } });
    expect(state.trouble?.failures).toBeLessThan(400);
    await world.advance('2h');
    await expect(session.result()).rejects.toMatchObject({
      code: 'CREATE_DEADLINE_PASSED',
      state: { trouble: { code: 'UNKNOWN_ACCOUNT' }, anomalies: [] },
    });
  });
});
