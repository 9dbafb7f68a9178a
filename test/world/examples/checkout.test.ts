import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PaysessionError, type ErrorCode, type PaymentSessions } from 'paysession';
import { eft, PAYOR } from '../../support/requests';
import { createShop } from '../../support/worlds/shop';
import { createWorld, type World } from '../../support/worlds/world';
import { commandsOf, firstLine, settingsOf, startCommand } from '../../support/examples/commands';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

let world: World;
let command: ChildProcess;
let url: string;

beforeAll(async () => {
  world = await createWorld();
  command = startCommand(`exec ${commandsOf('checkout')[0] ?? ''}`, { ...settingsOf(world), PORT: '0' });
  url = (await firstLine(command)).replace('listening on ', '');
});

afterAll(async () => {
  command.kill();
  await once(command, 'close');
  await world.close();
});

const BUYER = {
  ...PAYOR,
  street: '1 King Street West',
  city: 'Toronto',
  province: 'on',
  postalCode: 'm5h 1a1',
  method: 'debit',
  comeBack: 'messages',
};

const JSON_WANTED = { accept: 'application/json' };

function send(path: string, body?: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
  return fetch(url + path, {
    redirect: 'manual',
    headers,
    ...(body !== undefined && { method: 'POST', body: new URLSearchParams(body) }),
  });
}

/** Requests a new order form, and returns the order id in it. */
async function formId(): Promise<string> {
  const page = await (await send('/buy/lamp')).text();
  return /name="orderId" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

async function order(fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await send('/buy/lamp', { ...BUYER, orderId: await formId(), ...fields });
  expect(answer.status).toBe(303);
  return answer.headers.get('location') ?? '';
}

describe('the sample shop', () => {
  test('opens one session if the same form is sent twice', async () => {
    const orderId = await formId();
    const first = await order({ orderId });
    expect(first).toBe(`/orders/${orderId}`);
    expect(await order({ orderId })).toBe(first);
    const created = world.sandbox.calls.filter(({ route }) => route === 'create');
    expect(created.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('takes the price from its catalogue and not from the form, and uses the order id as reference', async () => {
    const path = await order({ price: '0.01', amount: '0.01' });
    const state = await world.sessions.get(path.replace('/orders/', '')).state();
    expect(state).toMatchObject({ amount: 25, kind: 'EFT', referenceId: path.replace('/orders/', '') });
  });

  test('lists the invalid fields of a form', async () => {
    const answer = await send('/buy/lamp', { ...BUYER, firstName: '', email: 'nobody', postalCode: '1' });
    const page = await answer.text();
    expect(answer.status).toBe(422);
    for (const field of ['firstName', 'email', 'postalCode']) expect(page).toContain(`href="#${field}"`);
  });

  test('refuses a form that is not UTF-8, because the bank compares the name', async () => {
    const fields = new URLSearchParams({ ...BUYER, orderId: await formId() });
    const body = `${fields.toString()}&lastName=Chlo%E9`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...JSON_WANTED };
    expect((await fetch(`${url}/buy/lamp`, { method: 'POST', headers, body })).status).toBe(400);
  });

  test('shows a form with a new order id if an order is sent again with other details', async () => {
    const orderId = await formId();
    await order({ orderId });
    const answer = await send('/buy/lamp', { ...BUYER, orderId, firstName: 'Somebody' });
    const page = await answer.text();
    expect(answer.status).toBe(409);
    expect(page).toContain(`/orders/${orderId}`);
    expect(page).not.toContain(`value="${orderId}"`);
  });

  test('sends an order’s state as a server-sent event at once and after each change', async () => {
    const path = await order();
    const answer = await send(`${path}/events`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    expect(first?.value).toContain('Waiting for your payment');
    const cancelled = await send(`${path}/cancel`, {}, JSON_WANTED);
    expect(await cancelled.json()).toEqual({ outcome: 'cancelled' });
    let rest = '';
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      rest += part.value;
    expect(rest).toContain('"Order cancelled"');
  });

  test('after an order’s end, answers a cancel with alreadyEnded and a refresh with the final state', async () => {
    const path = await order();
    await send(`${path}/cancel`, {}, JSON_WANTED);
    const again = await send(`${path}/cancel`, {}, JSON_WANTED);
    expect(await again.json()).toEqual({ outcome: 'alreadyEnded' });
    const refreshed = await send(`${path}/refresh`, {}, JSON_WANTED);
    expect(await refreshed.json()).toEqual({ status: 'Cancelled', code: 'EFT0501' });
  });
});

describe('the sample shop while Temporal does not answer', () => {
  const ORDER = `/orders/shop-lamp-${'0'.repeat(18)}`;

  const failing = (code: ErrorCode) => () => Promise.reject(new PaysessionError(code, 'Thrown by the test.'));

  /** Starts a shop in which `state` returns every session’s state, and runs the test with the shop’s URL. */
  async function serving(state: () => Promise<unknown>, run: (shopUrl: string) => Promise<void>) {
    const sessions: unknown = { get: () => ({ state, stateHistory: () => Promise.resolve([]) }) };
    const shop = createShop({ sessions: sessions as PaymentSessions, lookEveryMs: 100 });
    const { url: shopUrl } = await shop.listen();
    try {
      await run(shopUrl);
    } finally {
      await shop.close();
    }
  }

  test.each(['TEMPORAL_BUSY', 'TEMPORAL_UNAVAILABLE', 'WORKER_UNAVAILABLE'] as const)(
    'answers 503 with Retry-After for an order’s page if the code is %s',
    (code) =>
      serving(failing(code), async (shopUrl) => {
        const { status, headers } = await fetch(shopUrl + ORDER);
        expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      }),
  );

  test('accepts a page’s connection, sends the trouble as an event, and later the order’s state', async () => {
    let state: () => Promise<unknown> = failing('WORKER_UNAVAILABLE');
    await serving(
      () => state(),
      async (shopUrl) => {
        const answer = await fetch(`${shopUrl}${ORDER}/events`);
        expect(answer.status).toBe(200);
        const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
        expect((await reader?.read())?.value).toBe('event: trouble\ndata: WORKER_UNAVAILABLE\n\n');
        state = () => Promise.resolve({ phase: 'open', status: 'Initiated', paid: false });
        expect((await reader?.read())?.value).toContain('Waiting for your payment');
        await reader?.cancel();
      },
    );
  });
});

describe('the sample shop as a web server', () => {
  test.each(['/', '/buy/lamp', '/orders/none', '/nothing'])(
    'forbids other sites to embed %s, and browsers to cache it',
    async (path) => {
      const { headers } = await send(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  test('embeds only the payment service in an order’s page, and no secret is in the page', async () => {
    const path = await order();
    const answer = await send(path);
    const page = await answer.text();
    expect(answer.headers.get('content-security-policy')).toContain(`frame-src ${world.sandbox.url};`);
    expect(page).toContain(`${world.sandbox.url}/app/?sessionId=`);
    await send(`${path}/cancel`, {}, JSON_WANTED);
    const events = await (await send(`${path}/events`)).text();
    expect(events).toContain('Order cancelled');
    for (const secret of [
      DEFAULT_CLIENT.clientSecret,
      DEFAULT_CLIENT.clientId,
      'Bearer',
      BUYER.email,
      'Tremblay',
      'King Street',
    ]) {
      expect(page + events).not.toContain(secret);
    }
  });

  test('answers 404 for sessions that are not its own orders', async () => {
    const { key } = world.input(eft());
    await world.sessions.open({ key, request: eft() });
    for (const orderId of [
      key,
      'shop-lamp-0',
      `shop-lamp-${'0'.repeat(18)}`,
      `shop-rocket-${'0'.repeat(18)}`,
    ]) {
      for (const part of ['', '/events']) expect((await send(`/orders/${orderId}${part}`)).status).toBe(404);
      for (const part of ['/refresh', '/cancel']) {
        expect((await send(`/orders/${orderId}${part}`, {}, JSON_WANTED)).status).toBe(404);
      }
    }
    expect(await world.sessions.get(key).state()).toMatchObject({ status: 'Initiated' });
  });

  test('refuses orders and cancels that a page of another site sends', async () => {
    const path = await order();
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site };
      expect((await send(`${path}/cancel`, {}, headers)).status).toBe(403);
      expect((await send('/buy/lamp', BUYER, headers)).status).toBe(403);
    }
    expect(
      (await send(`${path}/refresh`, {}, { ...JSON_WANTED, 'sec-fetch-site': 'same-origin' })).status,
    ).toBe(200);
  });

  test('refuses a body that is not a form, a body that is too large, and an unknown product', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/buy/lamp`, { method: 'POST', body: '{}', headers: json })).status).toBe(415);
    expect((await send('/buy/lamp', { ...BUYER, city: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await send('/buy/rocket')).status).toBe(404);
  });
});
