import { webhookPost, sendWebhooks, type WebhookEndpoint, type PaymentLedger } from '../../../../ledger';
import type { DeliveryEvent } from '../../../../ledger/webhooks/delivery-event';
import { until } from '../../wait';
import { closesLater, type TestLedger } from '../test-ledger';
import type { Receiver } from './receiver';

export interface Sender {
  readonly events: DeliveryEvent[];
  readonly stop: () => Promise<void>;
}

/** Starts a sender of webhooks to these receivers. It runs until `stop` is called or the test ends. */
export function startSender(ledger: PaymentLedger, ...receivers: readonly Receiver[]): Sender {
  const over = new AbortController();
  const events: DeliveryEvent[] = [];
  const post = webhookPost({ allowsLoopback: true });
  const sending = sendWebhooks({
    ledger,
    endpoints: receivers.map(({ endpoint }) => endpoint),
    post,
    onEvent: (event) => events.push(event),
    signal: over.signal,
  });
  const stop = async () => {
    over.abort();
    await sending;
    await post.close();
  };
  closesLater(stop);
  return { events, stop };
}

/** The kinds of all webhooks of a paid session, in order. */
export const WHOLE = ['session.opened', 'session.state_changed', 'session.paid', 'session.ended'];

/** Resolves once the endpoint is registered in the ledger. From then on, the ledger stores webhooks for the endpoint. */
export const registered = ({ database }: TestLedger, name = 'shop') =>
  until(
    () => database.query('select 1 as one from paysession_ledger.webhook_endpoints where name = $1', [name]),
    (rows) => rows.length > 0,
  );

/** Returns the number of webhooks that wait in the outbox. */
export const waiting = async ({ database }: TestLedger): Promise<number> =>
  (await database.query('select 1 as one from paysession_ledger.webhook_outbox')).length;

/** Waits until the receiver has `count` messages of a session, and returns their kinds. */
export const received = (receiver: Receiver, key: string, count: number) =>
  until(
    () => Promise.resolve(receiver.of(key)),
    (kinds) => kinds.length >= count,
  );

/** Makes the waiting retries due at once. */
export const hurry = ({ database }: TestLedger) =>
  database.query(
    "update paysession_ledger.webhook_outbox set due_at = now() where lease is null and due_at > now() + interval '1 second' and due_at < 'infinity'",
  );

/** Resolves once no webhook waits for any endpoint. */
export const allDelivered = (own: TestLedger) =>
  until(
    () => waiting(own),
    (count) => count === 0,
  );

/** The argument with which `ledger.webhooks.take` takes the webhooks of one session for the endpoint `shop`. */
export const ONE = [{ endpoint: 'shop', settings: 'any', most: 1 }];

/** Returns the same receiver with changed settings of its endpoint. */
export const withSettings = (receiver: Receiver, settings: Partial<WebhookEndpoint>): Receiver => ({
  ...receiver,
  endpoint: { ...receiver.endpoint, ...settings },
});
