import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { PaymentSessions } from '../../../src';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

/** Returns the number of signals in the history. Temporal writes signals that arrive during a workflow task after the task. */
async function signalsOf(workflowId: string): Promise<number> {
  const { events = [] } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes != null).length;
}

describe('after the only worker has stopped', () => {
  test('a cancel is stored for later, and a refresh, a preview and a resolution fail', async () => {
    const impatient = new PaymentSessions(world.client, { taskQueue: world.taskQueue, updateTimeoutMs: 500 });
    const { key } = (await world.sessions.open(world.input(leftOpen()))).session;
    await world.stopWorker();
    const session = impatient.get(key);
    await expect(session.refresh()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(session.resolveCreate({ retry: true })).rejects.toMatchObject({
      code: 'WORKER_UNAVAILABLE',
    });
    await expect(session.previewAdopt(randomUUID())).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    await until(
      () => signalsOf(session.workflowId),
      (signals) => signals === 1,
    );
    await world.startWorker();
    expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });
});

describe('if no worker has ever polled the task queue', () => {
  /** A call needs less than this time to find out if a worker polls. */
  const LONGER_THAN_A_CHECK_MS = 2_000;

  /** Starts a session on a task queue that no worker polls. */
  async function withoutWorker() {
    const taskQueue = `no-worker-${randomUUID()}`;
    const elsewhere = new PaymentSessions(world.client, { taskQueue });
    const session = await elsewhere.start(world.input(leftOpen()));
    // `get` has no task queue here: a caller need not know it.
    return { taskQueue, session: world.sessions.get(session.key) };
  }

  test('a cancel is stored for later', async () => {
    const { session } = await withoutWorker();
    await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    expect(await signalsOf(session.workflowId)).toBe(1);
    await world.client.workflow.getHandle(session.workflowId).terminate();
  });

  test('a call that has given up leaves no request to Temporal running', async () => {
    const { session } = await withoutWorker();
    const client = new Client({ connection: world.client.connection });
    const ended: string[] = [];
    const given = client.workflow.getHandle.bind(client.workflow);
    client.workflow.getHandle = ((workflowId: string) => {
      const handle = given(workflowId);
      const query = handle.query.bind(handle);
      handle.query = ((name: string) =>
        query(name).finally(() => {
          ended.push(name);
        })) as typeof handle.query;
      return handle;
    }) as typeof client.workflow.getHandle;
    const sessions = new PaymentSessions(client, { queryTimeoutMs: 60_000 });
    await expect(sessions.get(session.key).state()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await until(
      () => Promise.resolve(ended),
      (names) => names.includes('state'),
    );
    await world.client.workflow.getHandle(session.workflowId).terminate();
  });

  test('a call gives up soon without a worker, and waits longer for a slow worker', async () => {
    const hold = world.sandbox.hold('create', 'before');
    const opening = world.sessions.open(world.input(leftOpen()));
    await expect(Promise.race([opening, sleep(LONGER_THAN_A_CHECK_MS, 'waits')])).resolves.toBe('waits');
    hold.release();
    await (await opening).session.cancelAndWait();
  });
});

describe('on a connection to Temporal that ignores deadlines', () => {
  test('a call still ends at its deadline', async () => {
    const client = new Client({ connection: world.client.connection });
    client.withDeadline = (_deadline, call) => call();
    const timeouts = { openTimeoutMs: 300, queryTimeoutMs: 300, updateTimeoutMs: 300 };
    const sessions = new PaymentSessions(client, { taskQueue: world.taskQueue, ...timeouts });
    const { session } = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    const impatient = sessions.get(session.key);
    await expect(impatient.state()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(impatient.refresh()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(impatient.opened()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(impatient.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    await world.startWorker();
    expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });
});
