import { expect, test } from '@jest/globals';
import { webhookPost, sendWebhooks } from '../../../../ledger';
import type { WebhookPost } from '../../../../ledger/webhooks/post';
import { until } from '../../../support/wait';
import { closesLater, testLedger, type TestLedger } from '../../../support/ledger/test-ledger';
import { recordOpened, recordPaid } from '../../../support/ledger/webhooks/recorded';
import { startReceiver, type Receiver } from '../../../support/ledger/webhooks/receiver';

/** Registers the receiver as an endpoint, and sends webhooks to it until the test ends. */
async function startSender(
  { ledger }: TestLedger,
  { endpoint }: Receiver,
  post: WebhookPost = webhookPost({ allowsLoopback: true }),
): Promise<void> {
  await ledger.webhookEndpoints.register([endpoint]);
  const over = new AbortController();
  const sending = sendWebhooks({
    ledger,
    endpoints: [endpoint],
    post,
    onEvent: () => undefined,
    signal: over.signal,
  });
  closesLater(async () => {
    over.abort();
    await sending;
    await post.close();
  });
}

/** Makes the waiting retries due at once. */
const hurry = ({ database }: TestLedger) =>
  database.query(
    "update paysession_ledger.webhook_outbox set due_at = now(), attempts = 1 where lease is null and due_at > now() and due_at < 'infinity'",
  );

const allDelivered = ({ ledger }: TestLedger, key: string) =>
  until(
    () => ledger.webhookDeliveries.of(key),
    ({ deliveries, waiting }) =>
      waiting.length === 0 && deliveries.length > 0 && deliveries.every(({ state }) => state === 'delivered'),
  );

test('the webhook deliveries of a session list each webhook’s attempts, answers and next try, but not its content', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  receiver.answer = ({ event }) => (event.type === 'session.paid' ? 503 : 200);
  await startSender(own, receiver);
  await recordOpened(own.ledger, 'order-1');
  await recordPaid(own.ledger, 'order-1');
  const read = await until(
    () => own.ledger.webhookDeliveries.of('order-1'),
    ({ deliveries }) => deliveries.at(-1)?.nextTryAt !== undefined,
  );
  expect(read).toMatchObject({
    hasMore: false,
    deliveries: [
      {
        type: 'session.opened',
        number: 2,
        state: 'delivered',
        attempts: 1,
        answers: [{ outcome: 'HTTP 200' }],
      },
      { type: 'session.state_changed', number: 4, state: 'delivered' },
      { type: 'session.paid', number: 4, state: 'refused', answers: [{ outcome: 'HTTP 503' }] },
    ],
    waiting: [{ endpoint: 'shop', key: 'order-1', from: 4, to: 5 }],
  });
  expect(JSON.stringify(read)).not.toMatch(/127\.0\.0\.1|whsec_|avery/i);
  const refused = read.deliveries.at(-1);
  const waitMs = Date.parse(refused?.nextTryAt ?? '') - Date.parse(refused?.answers.at(-1)?.at ?? '');
  expect(waitMs).toBeGreaterThan(4_000);

  // The ledger keeps the last ten answers.
  const tried = () => hurry(own).then(() => own.ledger.webhookDeliveries.of(refused?.id ?? ''));
  await until(tried, ({ deliveries }) => (deliveries[0]?.attempts ?? 0) > 11);
  receiver.answer = () => 204;
  await until(tried, ({ waiting }) => waiting.length === 0);
  await allDelivered(own, 'order-1');
  const { deliveries } = await own.ledger.webhookDeliveries.of(refused?.id ?? '');
  expect(deliveries).toMatchObject([{ type: 'session.paid', state: 'delivered' }]);
  expect(deliveries[0]?.answers).toHaveLength(10);
  expect(deliveries[0]?.answers.at(-1)).toMatchObject({ outcome: 'HTTP 204' });
  expect((await own.ledger.verify()).fault).toBeUndefined();
});

test('resending a webhook also resends the session’s later webhooks, and resending a session resends all; the ids stay the same', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  await startSender(own, receiver);
  await recordOpened(own.ledger, 'order-1');
  await recordPaid(own.ledger, 'order-1');
  const { deliveries } = await allDelivered(own, 'order-1');
  const ids = deliveries.map(({ id }) => id);
  const paid = deliveries.find(({ type }) => type === 'session.paid');
  const receivedAgain = async (act: () => Promise<unknown>, count: number) => {
    const before = receiver.received.length;
    await act();
    await until(
      () => Promise.resolve(receiver.received.length),
      (length) => length >= before + count,
    );
    await allDelivered(own, 'order-1');
    return receiver.received.slice(before).map(({ id }) => id);
  };
  const resend = (what: string, endpoint?: string) => own.ledger.webhookDeliveries.resend(what, endpoint);
  // Three, because the entry of `session.paid` also sends `session.state_changed`, and `session.ended` follows.
  expect(await receivedAgain(() => resend(paid?.id ?? ''), 3)).toEqual(ids.slice(1));
  expect(await receivedAgain(() => resend('order-1', 'shop'), 4)).toEqual(ids);
  expect(await resend('order-1')).toEqual({
    key: 'order-1',
    from: 1,
    endpoints: [{ name: 'shop', isFailing: false }],
  });
  await expect(resend('order-1', 'books')).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_UNKNOWN' });
  await expect(resend('order-2')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect((await own.ledger.verify()).fault).toBeUndefined();
});

test('if a sender gives up one webhook of an entry, the entry’s other webhooks are delivered', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  receiver.answer = ({ event }) => (event.type === 'session.state_changed' ? 500 : 204);
  const http = webhookPost({ allowsLoopback: true });
  await startSender(own, receiver, {
    send: async (endpoint, message) => {
      const answer = await http.send(endpoint, message);
      return answer.delivered ? answer : { ...answer, isGivenUp: true };
    },
    close: () => http.close(),
  });
  await recordOpened(own.ledger, 'order-1');
  await recordPaid(own.ledger, 'order-1');
  const { deliveries } = await until(
    () => own.ledger.webhookDeliveries.of('order-1'),
    (read) => read.waiting.length === 0 && read.deliveries.length === 4,
  );
  expect(deliveries).toMatchObject([
    { type: 'session.opened', state: 'delivered' },
    { type: 'session.state_changed', state: 'givenUp', attempts: 1, answers: [{ outcome: 'HTTP 500' }] },
    { type: 'session.paid', state: 'delivered' },
    { type: 'session.ended', state: 'delivered' },
  ]);
  expect(await own.ledger.webhookEndpoints.all()).toMatchObject([{ state: 'ok', givenUp: 1 }]);
});

test('webhook deliveries are removed after a month, and when their endpoint is removed', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  await startSender(own, receiver);
  for (const key of ['order-1', 'order-2']) {
    await recordOpened(own.ledger, key);
    await allDelivered(own, key);
  }
  await own.database.query(
    "update paysession_ledger.webhook_deliveries set written_at = now() - interval '31 days' where key = 'order-1'",
  );
  await own.ledger.webhookDeliveries.removeOld();
  const count = async (key: string) => (await own.ledger.webhookDeliveries.of(key)).deliveries.length;
  expect([await count('order-1'), await count('order-2')]).toEqual([0, 1]);
  await own.ledger.webhookEndpoints.forget('shop');
  expect(await count('order-2')).toBe(0);
});
