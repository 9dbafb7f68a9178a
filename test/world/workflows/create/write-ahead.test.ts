import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { PaymentSessionHandle } from '../../../../src';
import { replayHistories } from '../../../../testkit';
import { endCreate, runningCreate } from '../../../support/lost-create';
import { leftOpen } from '../../../support/requests';
import { testBundle } from '../../../support/setup/global-values';
import { stateOf, until } from '../../../support/wait';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';
import { fetchHistory } from '../../../../testkit/histories/recorded-history';

// Before a worker sends a create request, it records “about to send” in the activity’s heartbeat. If the worker is lost, the
// heartbeat shows if the request may have been sent.

/** A policy with so few polls that they do not disturb the tests. */
const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const PARKS = { ...SELDOM, onUnknownCreate: 'park' } as const;

describe('a create request whose worker is lost', () => {
  const world = useWorld();
  const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

  beforeAll(() => world.stopWorker());
  afterEach(() => world.stopWorker());

  test('during the wait for a token is sent by another worker, without a possible orphan', async () => {
    const before = creates();
    const authorize = world.sandbox.hold('authorize', 'before');
    const doomed = workerProcess(world);
    const session = await world.sessions.start(world.input(leftOpen(), PARKS));
    await authorize.reached;
    await until(
      () => runningCreate(world.client, session.workflowId),
      (create) => create?.isStarted === true,
    );
    doomed.child.kill('SIGKILL');
    authorize.release();
    await world.startWorker();
    await endCreate(world.client, session.workflowId);
    const state = await stateOf(session, ({ phase }) => phase === 'open' || phase === 'parked');
    expect(state).toMatchObject({ phase: 'open', anomalies: [] });
    expect(creates() - before).toBe(1);
    await session.cancelAndWait();
  });

  test('while the request is sent is not sent again: an operator decides', async () => {
    const before = creates();
    const create = world.sandbox.hold('create', 'before');
    const doomed = workerProcess(world);
    const session = await world.sessions.start(world.input(leftOpen(), PARKS));
    await create.reached;
    doomed.child.kill('SIGKILL');
    create.release();
    await world.startWorker();
    await endCreate(world.client, session.workflowId);
    const state = await stateOf(session, ({ phase }) => phase === 'open' || phase === 'parked');
    expect(state).toMatchObject({ phase: 'parked', trouble: { code: 'SERVICE_INTERRUPTED' } });
    expect(creates() - before).toBe(1);
    await session.resolveCreate({ abandon: true });
  });

  test('has “about to send” in its heartbeat as long as it is under way', async () => {
    await world.startWorker();
    const create = world.sandbox.hold('create', 'before');
    const session = await world.sessions.start(world.input(leftOpen(), PARKS));
    await create.reached;
    const readCreate = () => runningCreate(world.client, session.workflowId);
    const first = await readCreate();
    expect(first?.says).toBe('"about to send"');
    const later = await until(readCreate, (now) => (now?.saidAtMs ?? 0) > (first?.saidAtMs ?? 0) + 1_500);
    expect(later?.says).toBe('"about to send"');
    create.release();
    await session.opened();
    await session.cancelAndWait();
  });

  /** Starts a session whose create activity the server has handed out to a poller that is gone, so that no worker ever got it. */
  async function handedOut(): Promise<PaymentSessionHandle> {
    const { client, taskQueue } = world;
    const connection = await NativeConnection.connect({ address: world.temporalAddress });
    // This worker runs only workflow tasks, and no activities.
    const worker = await Worker.create({ connection, taskQueue, workflowBundle: { codePath: testBundle() } });
    const poll = () =>
      client.workflowService.pollActivityTaskQueue({
        namespace: 'default',
        taskQueue: { name: taskQueue },
      });
    try {
      return await worker.runUntil(async () => {
        const session = await world.sessions.start(world.input(leftOpen(), PARKS));
        const { activityType } = await client.withDeadline(Date.now() + 20_000, poll);
        expect(activityType?.name).toBe('createSession');
        return session;
      });
    } finally {
      await connection.close();
    }
  }

  test('before the create activity has reached that worker is sent by another worker', async () => {
    const session = await handedOut();
    await world.startWorker();
    await endCreate(world.client, session.workflowId);
    const state = await stateOf(session, (now) => now.phase === 'open' || now.phase === 'parked');
    expect(state).toMatchObject({ phase: 'open', anomalies: [] });
    const history = await fetchHistory(world.client, session.key);
    const { divergences } = await replayHistories([{ name: session.key, history }], {
      bundlePath: testBundle(),
    });
    expect(divergences).toEqual([]);
    await session.cancelAndWait();
  });
});
