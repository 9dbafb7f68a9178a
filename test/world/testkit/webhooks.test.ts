import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { PaymentWorldWithLedger } from '../../../testkit';
import { eft } from '../../support/requests';
import { usePaymentWorld } from '../../support/worlds/payment-world';

const world = usePaymentWorld({ ledger: true }) as PaymentWorldWithLedger;

const DAY_MS = 86_400_000;

/** Pays a session that a test opened under this key. */
async function pay(key: string): Promise<void> {
  const { session, sessionId } = await world.sessions.open({ key, request: eft(key) });
  await world.payor(sessionId).after('10m').completes();
  await session.result();
}

test('a world receives the webhooks of its sessions, signed, at the virtual times of what they report', async () => {
  const { webhooks } = world;
  await pay('order-1');
  const received = webhooks.received({ key: 'order-1' });
  expect(received.map(({ event }) => event.type)).toEqual([
    'session.opened',
    'session.state_changed',
    'session.paid',
    'session.ended',
  ]);
  for (const { body, headers, event } of received)
    expect(new Webhook(webhooks.secret).verify(body, headers)).toEqual(event);
  const [paid] = webhooks.received({ type: 'session.paid' });
  expect(Math.abs(Date.parse(paid?.at ?? '') - Date.parse(paid?.event.timestamp ?? ''))).toBeLessThan(60_000);
  expect(await webhooks.waitFor({ key: 'order-1', type: 'session.paid' })).toBe(paid);
});

test('an endpoint that refuses a webhook gets it again after 5 s, 30 s and 2 min of virtual time', async () => {
  const { webhooks, ledger } = world;
  let tried = 0;
  webhooks.receiveWith(({ event }) => {
    if (event.type === 'session.opened') tried += 1;
    return 204;
  });
  webhooks.fail({ kind: 'status', status: 503 });
  webhooks.fail({ kind: 'hang' });
  webhooks.fail({ kind: 'reset' });
  const { session } = await world.sessions.open({ key: 'order-2', request: eft() });
  await world.advance('1h');
  const { deliveries } = await ledger.webhookDeliveries.of('order-2');
  const [opened] = deliveries;
  expect(opened).toMatchObject({ type: 'session.opened', state: 'delivered', attempts: 4 });
  expect(opened?.answers.map(({ outcome }) => outcome)).toEqual([
    'HTTP 503',
    'TimeoutError',
    'ECONNRESET',
    'HTTP 204',
  ]);
  const times = opened?.answers.map(({ at }) => Date.parse(at)) ?? [];
  const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1_000);
  // A wait is a tenth longer, or more on a slow machine.
  for (const [index, [least, most]] of [
    [5, 30],
    [30, 120],
    [120, 600],
  ].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(least ?? 0);
    expect(waits[index]).toBeLessThan(most ?? 0);
  }
  expect(tried).toBe(1);
  webhooks.receiveWith(() => 204);
  await session.cancelAndWait();
});

test('a receiver may let time pass, also past the retry of another webhook and during a retry', async () => {
  const { webhooks } = world;
  const open = (key: string) => world.sessions.open({ key, request: eft() });
  webhooks.fail({ kind: 'status', status: 503 });
  const refused = await open('order-4');
  webhooks.receiveWith(async ({ event }) => {
    if (event.type === 'session.opened') await world.advance('1m');
    return 204;
  });
  const accepted = await open('order-5');
  await world.advance('10m');
  for (const key of ['order-4', 'order-5'])
    expect(webhooks.received({ key, type: 'session.opened' })).toHaveLength(1);
  webhooks.receiveWith(() => 204);
  for (const { session } of [refused, accepted]) await session.cancelAndWait();
});

test('a world receives the webhook of a settlement, and says what was received in place of one that does not come', async () => {
  const { webhooks } = world;
  await pay('order-3');
  const day = new Date((await world.now()).getTime() + DAY_MS).toISOString().slice(0, 10);
  const file = [world.sandbox.reconciliation({ day })];
  for await (const line of world.ledger.reconcile(file)) expect(line.outcome).toBe('recorded');
  const [settled] = webhooks.received({ key: 'order-3', type: 'payment.settled' });
  expect(settled?.event.data.payment).toMatchObject({ amount: 25 });
  const missing = webhooks.waitFor({ key: 'order-3', type: 'payment.returned' }, '2d');
  await expect(missing).rejects.toMatchObject({
    code: 'TESTED_CODE_FAILED',
    message: expect.stringMatching(/payment\.returned.* within 2d.*payment\.settled of order-3/),
  });
});
