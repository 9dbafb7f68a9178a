import { expect, test } from '@jest/globals';
import type { PaymentWorldWithLedger } from '../../../testkit';
import { eft } from '../../support/requests';
import { usePaymentWorld } from '../../support/worlds/payment-world';

const world = usePaymentWorld({ ledger: true }) as PaymentWorldWithLedger;

test('in a payment world, an endpoint that refuses a webhook gets it again after 5 s, 30 s and 2 min of virtual time', async () => {
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
  // A wait may be a tenth longer, or longer still on a slow machine.
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

test('in a payment world, the code that receives a webhook may advance time, also past the retry of another webhook', async () => {
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
