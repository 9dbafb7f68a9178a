import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PaymentSessions, type PaymentSessionHandle } from '../../../src';
import type { cancelsPayment } from '../../support/business-workflows';
import { leftOpen } from '../../support/requests';
import { startBusinessWorker } from '../../support/worlds/business-worker';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';

const MOST_SIGNALS = 20;
const ORDERS = `orders-${randomUUID()}`;
/** A Temporal server that accepts only twenty signals per workflow run. */
const temporal = useTemporalServer({ 'history.maximumSignalsPerExecution': String(MOST_SIGNALS) });
const world = useWorld(() => ({ temporalAddress: temporal.address }));
use(
  () => startBusinessWorker(temporal.address, ORDERS),
  (worker) => worker.stop(),
);

/** Returns an open session that has received as many signals as Temporal accepts. */
async function signalledOut(): Promise<PaymentSessionHandle> {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const workflow = world.client.workflow.getHandle(session.workflowId);
  for (let sent = 0; sent < MOST_SIGNALS; sent += 1) await workflow.signal('junk');
  await expect(workflow.signal('junk')).rejects.toThrow();
  return session;
}

describe('a session at its limit of signals', () => {
  test('can still be cancelled', async () => {
    const session = await signalledOut();
    await session.cancel({ by: 'Robin' });
    expect(await session.result()).toMatchObject({
      cancel: { outcome: 'cancelled' },
      decisions: [{ decision: 'cancel', by: 'Robin', result: 'cancelled' }],
    });
  });

  test('can still be cancelled while no worker is running: Temporal stores the cancel', async () => {
    const session = await signalledOut();
    await world.stopWorker();
    const { client, taskQueue } = world;
    const impatient = new PaymentSessions(client, { taskQueue, updateTimeoutMs: 4_000 });
    await impatient.get(session.key).cancel({ by: 'Robin' });
    await world.startWorker();
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
  });

  test('can still be cancelled by a workflow', async () => {
    const session = await signalledOut();
    const order = { taskQueue: ORDERS, workflowId: randomUUID(), args: [session.key] as [string] };
    await world.client.workflow.execute<typeof cancelsPayment>('cancelsPayment', order);
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
  });
});
