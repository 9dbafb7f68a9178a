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
  /** Returns sessions that wait longer than a busy machine needs. */
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
   * Opens a session. Calls again if the unusable worker took the create activity each time until the call failed. That
   * happens with one of 256 create requests, or more on a busy machine, and the session keeps waiting.
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

  /** Cancels sessions while only the usable worker runs. */
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

  test('goes to another worker, for every one of six payments', async () => {
    await startGoodWorker();
    const opened = await Promise.all(Array.from({ length: 6 }, openAtLast));
    for (const { session } of opened)
      expect(await session.state()).toMatchObject({ phase: 'open', anomalies: [] });
    await cancel(opened.map(({ session }) => session));
  });

  test('and its cancel go to another worker', async () => {
    await startGoodWorker();
    const opened = await Promise.all(Array.from({ length: 6 }, openAtLast));
    const replies = await Promise.all(opened.map(({ session }) => session.cancelAndWait()));
    expect(new Set(replies.map(({ outcome }) => outcome))).toEqual(new Set(['cancelled']));
  });

  test('and its polls, refreshes and previews go to another worker', async () => {
    await startGoodWorker();
    const opened = await Promise.all(Array.from({ length: 6 }, openAtLast));
    const [toFollow, toCancel] = [opened.slice(0, 3), opened.slice(3)];
    await Promise.all(opened.map(({ session }) => session.refresh()));
    for (const { sessionId } of toFollow) world.payor(sessionId).completes();
    const results = await Promise.all(toFollow.map(({ session }) => session.result()));
    expect(new Set(results.map(({ paid }) => paid))).toEqual(new Set([true]));
    // The service refuses the cancel: only a read of the details shows the state.
    world.sandbox.failNext('cancel', { kind: 'status', status: 400 }, 1_000);
    for (const { sessionId } of toCancel) world.payor(sessionId).completes();
    const replies = await Promise.all(toCancel.map(({ session }) => session.cancelAndWait()));
    expect(new Set(replies.map(({ outcome }) => outcome))).toEqual(new Set(['lostToCompletion']));
    world.sandbox.clearFaults();
  });

  test('is reported, waits, and is sent once the credentials are fixed', async () => {
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
    // The repeated call does not wait until a pause ends. The other session opens by itself.
    expect(await sessions().open(payment)).toMatchObject({ sessionId: expect.any(String) });
    expect(await stateOf(other, ({ phase }) => phase === 'open')).toMatchObject({ anomalies: [] });
    expect(creates()).toBe(before + 2);
    await cancel([other, world.sessions.get(payment.key)]);
  });

  test('is reported again to callers that call again', async () => {
    const session = await sessions().start(input());
    for (let time = 0; time < 2; time += 1) await expect(session.opened()).rejects.toMatchObject({ code });
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
  });
});

describe('a call that a worker with malformed settings gives back', () => {
  const world = useWorld({ startsWorker: false });
  /** Polls so rarely that polls do not disturb the tests. */
  const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
  const TIMES = 3;

  /** Runs a worker for activities, on which `activity` first fails some times, as if the worker's settings were malformed. */
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

  test('opens the session, if it is a create request', () =>
    whereFails('createSession', async () => {
      const { session } = await world.sessions.open(world.input(leftOpen()));
      expect(await session.state()).toMatchObject({ phase: 'open', anomalies: [] });
      await session.cancelAndWait();
    }));

  test('cancels the session, if it is a cancel', () =>
    whereFails('cancelSession', async () => {
      const { session } = await world.sessions.open(world.input(leftOpen()));
      expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    }));

  test('shows the new state, if it is a refresh', () =>
    whereFails('pollSession', async () => {
      const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), SELDOM));
      world.payor(sessionId).completes();
      expect(await session.refresh()).toMatchObject({ status: 'Completed', paid: true });
    }));

  test('shows the session of the service, if it is a preview', () =>
    whereFails('findSession', async () => {
      const { session, lost } = await park(world);
      expect(await session.previewAdopt(lost)).toMatchObject({ adoptable: true });
      await session.resolveCreate({ abandon: true });
    }));

  test('adopts the session, if it is an adoption', () =>
    whereFails('findSession', async () => {
      const { session, lost } = await park(world);
      expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({
        phase: 'open',
        decisions: [{ decision: 'adopt', result: 'applied' }],
      });
      await session.cancelAndWait();
    }));

  test('is rare, because `createWorker` refuses such settings', async () => {
    const started = otherWorkers(world).start({ default: { ...world.account, clientSecret: 'secret\n' } });
    await expect(started).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
  });
});

describe('in virtual time, a create request that no worker can send', () => {
  const world = usePaymentWorld();
  const input = () => ({ key: `test-${randomUUID()}`, request: leftOpen(), account: 'nobody' });

  test('is tried until its deadline, less and less often', async () => {
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
