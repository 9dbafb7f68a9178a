import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOrderWorld, type OrderWorld } from './orders';

let orders: OrderWorld;

beforeAll(async () => {
  orders = await createOrderWorld(join(__dirname, 'order-workflow.ts'));
}, 60_000);

afterAll(() => orders.world.close());

test('an order is shipped when the payor signs three days later', async () => {
  const running = await orders.start('order-1');
  await (await orders.world.payorOf('order-1')).signsPadAfter('3d');
  expect(await running.result()).toBe('shipped');
  expect(orders.shipped).toEqual(['order-1']);
}, 60_000);

test('an order is released when the payor leaves', async () => {
  const running = await orders.start('order-2');
  await (await orders.world.payorOf('order-2')).leaves();
  expect(await running.result()).toBe('released');
  expect(orders.released).toEqual(['order-2']);
}, 60_000);
