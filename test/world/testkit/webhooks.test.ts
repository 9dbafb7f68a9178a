import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { PaymentWorldWithLedger } from '../../../testkit';
import { eft } from '../../support/requests';
import { usePaymentWorld } from '../../support/worlds/payment-world';

const world = usePaymentWorld({ ledger: true }) as PaymentWorldWithLedger;

const DAY_MS = 86_400_000;

/** Opens a session under this key, and pays it. */
async function pay(key: string): Promise<void> {
  const { session, sessionId } = await world.sessions.open({ key, request: eft(key) });
  await world.payor(sessionId).after('10m').completes();
  await session.result();
}

test('a payment world receives its sessions’ webhooks, signed and dated in virtual time', async () => {
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

test('a payment world receives the webhook of a settlement; if an expected webhook does not come, the error lists the received ones', async () => {
  const { webhooks } = world;
  await pay('order-3');
  const day = new Date((await world.now()).getTime() + DAY_MS).toISOString().slice(0, 10);
  const file = [world.sandbox.reconciliation({ day })];
  for await (const line of world.ledger.reconcile(file)) expect(line.outcome).toBe('recorded');
  const settled = await webhooks.waitFor({ key: 'order-3', type: 'payment.settled' });
  expect(settled.event.data.payment).toMatchObject({ amount: 25 });
  const missing = webhooks.waitFor({ key: 'order-3', type: 'payment.returned' }, '2d');
  await expect(missing).rejects.toMatchObject({
    code: 'TESTED_CODE_FAILED',
    message: expect.stringMatching(/payment\.returned.* within 2d.*payment\.settled of order-3/),
  });
});
