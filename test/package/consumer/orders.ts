import { createPaymentWorld, type PaymentWorld } from 'paysession/testing';
import { order } from './order-workflow';

const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
const options = { guarantee: { enable: false } };
const request = { type: 'EFT', direction: 'DEBIT', amount: 25, options, payor } as const;

/** The world of an order, whichever test runner runs it. */
export interface OrderWorld {
  readonly world: PaymentWorld;
  readonly shipped: readonly string[];
  readonly released: readonly string[];
  start(id: string): Promise<{ result(): Promise<string> }>;
}

export async function createOrderWorld(workflowsPath: string): Promise<OrderWorld> {
  const shipped: string[] = [];
  const released: string[] = [];
  const activities = {
    ship: (id: string) => void shipped.push(id),
    release: (id: string) => void released.push(id),
  };
  const world = await createPaymentWorld({ workflowsPath, activities });
  const { client, taskQueue } = world;
  return {
    world,
    shipped,
    released,
    start: (id) => client.workflow.start(order, { workflowId: id, taskQueue, args: [id, request] }),
  };
}
