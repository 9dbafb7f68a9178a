import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PaymentSessions } from '../../../src';
import { eft, leftOpen } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const SOON_MS = 2_000;

describe('when no worker polls the task queue', () => {
  /** Starts a session on a task queue that no worker polls. */
  async function withoutWorker() {
    const taskQueue = `no-worker-${randomUUID()}`;
    const elsewhere = new PaymentSessions(world.client, { taskQueue });
    const session = await elsewhere.start(world.input(leftOpen()));
    // The caller uses another client, which does not know the session's task queue.
    return { taskQueue, session: world.sessions.get(session.key) };
  }

  test.each([
    ['state', 'WORKER_UNAVAILABLE'],
    ['stateHistory', 'WORKER_UNAVAILABLE'],
    ['opened', 'WORKER_UNAVAILABLE'],
    ['refresh', 'WORKER_UNAVAILABLE'],
    ['cancelAndWait', 'CANCEL_PENDING'],
  ] as const)('%s fails within two seconds, and names the task queue', async (method, code) => {
    const { taskQueue, session } = await withoutWorker();
    const askedAtMs = Date.now();
    const message = expect.stringContaining(`"${taskQueue}" of the namespace "default"`) as unknown;
    await expect(session[method]()).rejects.toMatchObject({ code, message });
    expect(Date.now() - askedAtMs).toBeLessThan(SOON_MS);
    await world.client.workflow.getHandle(session.workflowId).terminate();
  });

  test('open fails within two seconds, although it has started the session', async () => {
    const sessions = new PaymentSessions(world.client, { taskQueue: `no-worker-${randomUUID()}` });
    const input = world.input(eft());
    const askedAtMs = Date.now();
    await expect(sessions.open(input)).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    expect(Date.now() - askedAtMs).toBeLessThan(SOON_MS);
    await world.client.workflow.getHandle(sessions.get(input.key).workflowId).terminate();
  });
});
