import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { webhookPost, type WebhookKind } from '../../../ledger';
import { SECRET } from '../../support/ledger/webhooks/receiver';
import { createShop, UNPAID_SESSIONS } from '../../support/worlds/shop';

const ORDER = `shop-lamp-${'0'.repeat(18)}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const NEVER_MS = 3_600_000;

const post = webhookPost({ allowsLoopback: true });
const merchant: string[] = [];
let shop: ReturnType<typeof createShop>;
let url: string;

beforeAll(async () => {
  shop = open({ secret: SECRET, notifyMerchant: (line) => merchant.push(line) });
  ({ url } = await shop.listen());
});

beforeEach(() => {
  merchant.length = 0;
});

afterAll(async () => {
  await post.close();
  await shop.close();
});

function open(webhooks?: Parameters<typeof createShop>[0]['webhooks']) {
  return createShop({ sessions: UNPAID_SESSIONS, lookEveryMs: NEVER_MS, webhooks });
}

let nextMessage = 0;

/** Sends a signed webhook about an order to the shop, and returns the shop’s answer. */
async function sendWebhook(
  type: WebhookKind,
  key = ORDER,
  { secret = SECRET, id = `msg_${nextMessage++}`, to = url } = {},
) {
  const data = {
    key,
    ...(type === 'payment.returned' && {
      payment: { amount: 25, at: '2026-05-07', returnCode: 'NSF', advice: 'presentAgain' },
    }),
  };
  const body = JSON.stringify({ type, timestamp: '2026-05-06T14:00:00.000Z', data });
  return (await post.send({ name: 'shop', url: `${to}/webhooks`, secrets: [secret] }, { id, body })).outcome;
}

/** Yields the headlines that the order’s page receives as events. */
async function* headlines(orderId: string): AsyncGenerator<string> {
  const events = await fetch(`${url}/orders/${orderId}/events`);
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? [])
    yield (JSON.parse(chunk.replace('data: ', '')) as { headline: string }).headline;
}

const next = async (page: AsyncGenerator<string>): Promise<unknown> => (await page.next()).value;

test('an open order page of the sample shop shows the webhooks’ reports: paid, arrived, returned', async () => {
  const page = headlines(ORDER);
  expect(await next(page)).toBe('Waiting for your payment');
  expect(await sendWebhook('session.paid')).toBe('HTTP 204');
  expect(await next(page)).toBe('Paid. Thank you!');
  await sendWebhook('payment.settled');
  expect(await next(page)).toBe('Your payment has arrived. Thank you!');
  await sendWebhook('payment.returned');
  expect(await next(page)).toBe('Your payment came back');
  // The arrival is reported again, but the page keeps showing the return.
  await sendWebhook('payment.settled');
  expect(await next(headlines(ORDER))).toBe('Your payment came back');
});

test('the sample shop notifies the merchant of a returned payment once if the same webhook comes twice', async () => {
  const order = ORDER.replace(/0$/, '1');
  expect(await sendWebhook('payment.returned', order, { id: 'msg_twice' })).toBe('HTTP 204');
  expect(await sendWebhook('payment.returned', order, { id: 'msg_twice' })).toBe('HTTP 204');
  expect(merchant).toEqual([`${order}: the payment came back (NSF). Do not deliver.`]);
});

test('the sample shop refuses webhooks with a wrong signature, and ignores webhooks about unknown orders', async () => {
  const order = ORDER.replace(/0$/, '2');
  expect(await sendWebhook('payment.returned', order, { secret: OTHER_SECRET })).toBe('HTTP 401');
  expect(await next(headlines(order))).toBe('Waiting for your payment');
  expect(await sendWebhook('payment.returned', 'order-1')).toBe('HTTP 204');
  expect(merchant).toEqual([]);
});

test('the sample shop answers 404 to webhooks if no secret is set', async () => {
  const plain = open();
  try {
    expect(await sendWebhook('session.paid', ORDER, { to: (await plain.listen()).url })).toBe('HTTP 404');
  } finally {
    await plain.close();
  }
});

test('the sample shop accepts a test webhook, which changes no order', async () => {
  const body = JSON.stringify({
    type: 'test.ping',
    timestamp: '2026-05-06T14:00:00.000Z',
    data: { endpoint: 'shop' },
  });
  const endpoint = { name: 'shop', url: `${url}/webhooks`, secrets: [SECRET] };
  expect(await post.send(endpoint, { id: 'msg_ping', body })).toEqual({
    delivered: true,
    outcome: 'HTTP 204',
  });
  expect(merchant).toEqual([]);
});
