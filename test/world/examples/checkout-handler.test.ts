import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PaymentSessions } from 'paysession';
import { checkoutHandler } from '../../../examples/checkout-handler/handler';
import { PAYOR } from '../../support/requests';
import { createWorld, type World } from '../../support/worlds/world';
import { firstLine, settingsOf, startCommand } from '../../support/examples/commands';

let world: World;
let command: ChildProcess;
let url: string;

beforeAll(async () => {
  world = await createWorld();
  // `exec`, so that stopping the shell stops the server.
  command = startCommand('exec node examples/dist/checkout-handler/main.js', {
    ...settingsOf(world),
    PORT: '0',
  });
  url = (await firstLine(command)).replace('listening on ', '');
});

afterAll(async () => {
  command.kill();
  await once(command, 'close');
  await world.close();
});

const newOrder = () => ({ orderId: `order-${randomUUID().slice(0, 8)}`, amount: 25, payor: PAYOR });

async function post(body: unknown, to = url) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(to, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json' },
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    ...((await response.json()) as object),
  };
}

describe('the example checkout handler', () => {
  test('opens a session and answers with its checkout URL, the same one for the same order', async () => {
    const order = newOrder();
    const answer = await post(order);
    expect(answer).toMatchObject({
      status: 201,
      orderId: order.orderId,
      checkoutUrl: expect.stringContaining('/app/?sessionId='),
    });
    expect(await post(order)).toEqual(answer);
    expect(await post({ ...order, amount: 26 })).toMatchObject({ status: 409, code: 'SESSION_CONFLICT' });
  });

  test('lists every failure of an invalid order', async () => {
    const paths = [{ path: 'key' }, { path: 'request.payor' }, { path: 'request.amount' }];
    const { failures, ...answer } = (await post({ amount: 0 })) as { failures?: unknown[] };
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect(failures).toEqual(expect.arrayContaining(paths.map((path) => expect.objectContaining(path))));
  });

  test('refuses a body that is not an order', async () => {
    expect(await post('{not json')).toMatchObject({ status: 400 });
    expect(await post('null')).toMatchObject({ status: 400 });
    expect(await post('7')).toMatchObject({ status: 400 });
    expect(await post(`"${'x'.repeat(70_000)}"`)).toMatchObject({ status: 413 });
    expect((await fetch(url)).status).toBe(405);
  });

  test('answers with the payment service’s rejection', async () => {
    const rejected = await post({ ...newOrder(), amount: 10_000.01 });
    expect(rejected).toMatchObject({ status: 422, code: 'SERVICE_REQUEST_REJECTED' });
  });
});

describe('the example checkout handler in another server', () => {
  /** Serves one handler, behind a middleware that has parsed the body, as express has. */
  async function serve(sessions: PaymentSessions, body: unknown): Promise<{ server: Server; url: string }> {
    const checkout = checkoutHandler(sessions);
    const server = createServer((request, response) => {
      void checkout(Object.assign(request, { body }), response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  test('takes a body that a middleware has parsed', async () => {
    const order = newOrder();
    const sessions = new PaymentSessions(world.client, { taskQueue: world.taskQueue });
    const { server, url: to } = await serve(sessions, order);
    expect(await post('', to)).toMatchObject({ status: 201, orderId: order.orderId });
    server.close();
  });

  test('answers 503 with Retry-After while the session is not open yet', async () => {
    const taskQueue = `no-worker-${randomUUID()}`;
    const impatient = new PaymentSessions(world.client, { taskQueue, openTimeoutMs: 300 });
    const order = newOrder();
    const { server, url: to } = await serve(impatient, order);
    expect(await post('', to)).toMatchObject({ status: 503, retryAfter: '5', code: 'SESSION_STILL_OPENING' });
    await world.client.workflow.getHandle(impatient.get(order.orderId).workflowId).terminate();
    server.close();
  });
});
