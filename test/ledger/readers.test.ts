import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { readsPayment } from '../support/business-workflows';
import { startBusinessWorker } from '../support/worlds/business-worker';
import { createCallerNamespace } from '../support/worlds/nexus-world';
import { ledgerWorld } from './support/ledger-world';
import { recordPaid } from './support/recorded';
import { closesLater } from './support/test-ledger';

test('workflows and callers by Nexus read a session that only the ledger of the worker knows', async () => {
  const world = await ledgerWorld();
  const key = `forgotten-${randomUUID()}`;
  const { stateHistory: _states, ...known } = await recordPaid(world.ledger, key);
  const state = { phase: 'ended', ...known };

  const taskQueue = `orders-${randomUUID()}`;
  const worker = await startBusinessWorker(world.engineAddress, taskQueue);
  closesLater(() => worker.stop());
  const { taskQueue: payments } = world;
  const args: Parameters<typeof readsPayment> = [key, { taskQueue: payments }];
  const options = { taskQueue, workflowId: randomUUID(), args };
  expect(await world.client.workflow.execute(readsPayment, options)).toEqual(state);

  const callers = await createCallerNamespace(world, undefined);
  closesLater(() => callers.close());
  expect(await (await callers.start('readsSession', { key })).result()).toEqual(state);
});
