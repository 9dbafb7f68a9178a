import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PaysessionError, PaymentSessions } from 'paysession';
import { checkoutHandler, type Order } from '../../../examples/checkout-handler/handler';
import { PAYOR } from '../../support/requests';
import { createWorld, type World } from '../../support/worlds/world';
import { commandsOf, firstLine, settingsOf, startCommand } from '../../support/examples/commands';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

async function post(body: unknown, to: string) {
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

describe('the example checkout handler, started as its README says,', () => {
  let command: ChildProcess;
  let url: string;

  beforeAll(async () => {
    // With `exec`, the server replaces the shell, so that the test can stop it.
    command = startCommand('exec node examples/dist/checkout-handler/main.js', {
      ...settingsOf(world),
      PORT: '0',
    });
    url = (await firstLine(command)).replace('listening on ', '');
  });

  afterAll(async () => {
    command.kill();
    await once(command, 'close');
  });

  test('opens a session for the order that the README posts, and answers a second post with the same session', async () => {
    const curl = commandsOf('checkout-handler').find((line) => line.startsWith('curl ')) ?? '';
    const body = /--json '(.+)'/.exec(curl)?.[1];
    const answer = await post(body, url);
    expect(answer).toMatchObject({
      status: 201,
      checkoutUrl: expect.stringContaining('/app/?sessionId='),
    });
    expect(await post(body, url)).toEqual(answer);
  });

  test('answers 400 to a body without an order id', async () => {
    for (const body of ['{not json', 'null', '7', '{}', '{"orderId":7}'])
      expect(await post(body, url)).toMatchObject({ status: 400 });
    expect(await post(`"${'x'.repeat(70_000)}"`, url)).toMatchObject({ status: 413 });
    expect((await fetch(url)).status).toBe(405);
  });

  test('answers 404 for an order that the shop does not have', async () => {
    expect(await post({ orderId: 'order-0' }, url)).toMatchObject({ status: 404 });
  });
});

describe('the example checkout handler in the test’s own shop', () => {
  const newOrder = (): Order => ({ orderId: `order-${randomUUID().slice(0, 8)}`, amount: 25, payor: PAYOR });

  interface Shop {
    readonly order: Order;
    /** Defaults to the world's sessions. */
    readonly sessions?: PaymentSessions;
    /** The parsed body that a middleware of express sets on a request. */
    readonly body?: unknown;
  }

  /** Starts a shop with one order and this handler, and runs the test with the shop’s URL. */
  async function serving<T>(
    { order, sessions = world.sessions, body }: Shop,
    run: (url: string) => Promise<T>,
  ) {
    const orderOf = (orderId: string) => Promise.resolve(orderId === order.orderId ? order : undefined);
    const checkout = checkoutHandler(sessions, orderOf);
    const server = createServer((request, response) => {
      void checkout(body === undefined ? request : Object.assign(request, { body }), response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
    }
  }

  test('takes amount and payor from the shop’s order, and not from the posted body', async () => {
    const order = newOrder();
    const payor = { ...PAYOR, email: 'mallory@example.com' };
    const answer = await serving({ order }, (to) => post({ ...order, amount: 0.01, payor }, to));
    expect(answer).toMatchObject({ status: 201, orderId: order.orderId });
    const { sessionId = '' } = await world.sessions.get(order.orderId).state();
    expect(world.sandbox.session(sessionId)).toMatchObject({ state: { amount: 25 }, payor: PAYOR });
  });

  test('answers 409 if the order has changed since its session opened', async () => {
    const order = newOrder();
    await serving({ order }, (to) => post(order, to));
    const changed = { order: { ...order, amount: 26 } };
    expect(await serving(changed, (to) => post(order, to))).toMatchObject({
      status: 409,
      code: 'SESSION_CONFLICT',
    });
  });

  test('lists every failure of an invalid order', async () => {
    const order = { ...newOrder(), amount: 0, payor: { ...PAYOR, email: 'nobody' } };
    const { failures, ...answer } = (await serving({ order }, (to) => post(order, to))) as {
      failures?: unknown[];
    };
    expect(answer).toMatchObject({ status: 422, code: 'INVALID_REQUEST' });
    const paths = [{ path: 'request.payor.email' }, { path: 'request.amount' }];
    expect(failures).toEqual(expect.arrayContaining(paths.map((path) => expect.objectContaining(path))));
  });

  test('answers with the payment service’s reasons if the service rejects the request', async () => {
    const order = { ...newOrder(), amount: 10_000.01 };
    const rejected = await serving({ order }, (to) => post(order, to));
    expect(rejected).toMatchObject({ status: 422, code: 'SERVICE_REQUEST_REJECTED' });
  });

  test('accepts a body that a middleware has already parsed', async () => {
    const order = newOrder();
    const answer = await serving({ order, body: { orderId: order.orderId } }, (to) => post('', to));
    expect(answer).toMatchObject({ status: 201, orderId: order.orderId });
  });

  test('answers 503 with Retry-After while the session is not open yet', async () => {
    const taskQueue = `no-worker-${randomUUID()}`;
    const sessions = new PaymentSessions(world.client, { taskQueue, openTimeoutMs: 300 });
    const order = newOrder();
    const answer = await serving({ order, sessions }, (to) => post(order, to));
    expect(answer).toMatchObject({ status: 503, retryAfter: '5', code: 'SESSION_STILL_OPENING' });
    await world.client.workflow.getHandle(sessions.get(order.orderId).workflowId).terminate();
  });

  test('answers 503 with Retry-After while the Temporal server is busy', async () => {
    const busy: unknown = { open: () => Promise.reject(new PaysessionError('TEMPORAL_BUSY', 'It is busy.')) };
    const order = newOrder();
    const answer = await serving({ order, sessions: busy as PaymentSessions }, (to) => post(order, to));
    expect(answer).toMatchObject({ status: 503, retryAfter: '5', code: 'TEMPORAL_BUSY' });
  });
});
