import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { activitiesOf, MemoryWarehouse } from '../../../examples/order/warehouse';
import { order } from '../../../examples/order/workflow';
import { errorCodeOf } from '../../../src/nexus';
import type { SessionRequest } from '../../../src';
import { createPaymentWorld, type PaymentWorld } from '../../../testkit';
import { testBundle } from '../../support/setup/global-values';
import { eft } from '../../support/requests';
import { stateOf } from '../../support/wait';
import { createWorld } from '../../support/worlds/world';
import { commandsOf, runCommand } from '../../support/examples/commands';

/** A world in virtual time, so that payments and retries take no real time. */
let world: PaymentWorld;
const warehouse = new MemoryWarehouse();

beforeAll(async () => {
  world = await createPaymentWorld({
    workflowsPath: require.resolve('../../../examples/order/workflow'),
    activities: { ...activitiesOf(warehouse) },
    bundlePath: testBundle(),
  });
});

afterAll(async () => {
  await world.close();
});

async function place(payment: SessionRequest, items: readonly string[] = [randomUUID()]) {
  const id = `order-${randomUUID()}`;
  const handle = await world.client.workflow.start(order, {
    taskQueue: world.taskQueue,
    workflowId: id,
    args: [{ id, items, payment }],
  });
  return { id, items, handle };
}

describe('an order of the order example', () => {
  test('that is paid is shipped', async () => {
    const { id, handle } = await place(eft('sandbox-completes'));
    expect(await handle.result()).toEqual({ outcome: 'shipped', trackingNumber: warehouse.shipped.get(id) });
  });

  test('whose payment fails releases its items, and another order gets them', async () => {
    const { id, items, handle } = await place(eft('sandbox-identity-failed'));
    expect(await handle.result()).toEqual({ outcome: 'released', payment: 'Failed' });
    expect(warehouse.reserved.has(id)).toBe(false);
    const next = await place(eft('sandbox-completes'), items);
    expect(await next.handle.result()).toMatchObject({ outcome: 'shipped' });
  });

  test('whose payment is not signed keeps its items until a person has decided', async () => {
    const { id, handle } = await place(eft('sandbox-awaits-signature'));
    const end = await handle.result();
    const { sessionId } = await world.sessions.get(id).result();
    expect(end).toEqual({ outcome: 'inReview', sessionId });
    expect(warehouse.inReview.get(id)).toBe(sessionId);
    expect([warehouse.reserved.has(id), warehouse.shipped.has(id)]).toEqual([true, false]);
  });

  test('that is cancelled during the payment cancels the payment and releases its items', async () => {
    const { id, handle } = await place(eft('sandbox-stays-initiated'));
    await stateOf(world.sessions.get(id), ({ phase }) => phase === 'open');
    expect(warehouse.reserved.has(id)).toBe(true);
    await handle.cancel();
    expect(await handle.result()).toEqual({ outcome: 'released', payment: 'Cancelled' });
    expect(await world.sessions.get(id).result()).toMatchObject({ status: 'Cancelled' });
    expect(warehouse.reserved.has(id)).toBe(false);
  });

  test('that is paid but cannot be shipped reports that a refund is due', async () => {
    const { id, handle } = await place(eft('sandbox-completes'), ['piano']);
    const end = await handle.result();
    const { sessionId } = await world.sessions.get(id).result();
    expect(end).toEqual({ outcome: 'refundOwed', sessionId });
    expect(warehouse.refundsOwed.get(id)).toBe(sessionId);
    expect(warehouse.reserved.has(id)).toBe(false);
  });

  test('whose payment the service rejects fails with the error code, and releases its items', async () => {
    const { id, handle } = await place({ ...eft(), amount: 10_000.01 });
    const error: unknown = await handle.result().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect(errorCodeOf(error)).toBe('SERVICE_REQUEST_REJECTED');
    expect(warehouse.reserved.has(id)).toBe(false);
  });
});

test('the commands of the order example print the output in its README', async () => {
  const live = await createWorld();
  try {
    const [paid, failed, unshippable] = await Promise.all(
      commandsOf('order').map((command) => runCommand(command, live)),
    );
    expect(paid).toMatchObject({ output: expect.stringMatching(/^\{"outcome":"shipped",/) });
    expect(failed).toEqual({ output: '{"outcome":"released","payment":"Failed"}\n', errors: '' });
    expect(unshippable).toMatchObject({ output: expect.stringMatching(/^\{"outcome":"refundOwed",/) });
  } finally {
    await live.close();
  }
});
