import { webhookPost, sendWebhooks, type WebhookEndpoint, type PaymentLedger } from '../../../../ledger';
import type { DeliveryEvent } from '../../../../ledger/webhooks/delivery-event';
import { until } from '../../wait';
import { closesLater, type TestLedger } from '../test-ledger';
import type { Receiver } from './receiver';

export interface Sender {
  readonly events: DeliveryEvent[];
  readonly stop: () => Promise<void>;
}

/** Sends until it is stopped or the test ends. */
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

export const WHOLE = ['session.opened', 'session.state_changed', 'session.paid', 'session.ended'];

/** Resolves once the endpoint is written down: webhooks are kept for it from then on. */
export const registered = ({ database }: TestLedger, name = 'shop') =>
  until(
    () => database.query('select 1 as one from paysession_ledger.webhook_endpoints where name = $1', [name]),
    (rows) => rows.length > 0,
  );

export const waiting = async ({ database }: TestLedger): Promise<number> =>
  (await database.query('select 1 as one from paysession_ledger.webhook_outbox')).length;

/** Returns the types of messages of a session, once the receiver has so many of them. */
export const received = (receiver: Receiver, key: string, count: number) =>
  until(
    () => Promise.resolve(receiver.of(key)),
    (kinds) => kinds.length >= count,
  );

/** Makes due what waits for a later time. */
export const hurry = ({ database }: TestLedger) =>
  database.query(
    "update paysession_ledger.webhook_outbox set due_at = now() where lease is null and due_at > now() + interval '1 second' and due_at < 'infinity'",
  );

/** Resolves once nothing waits for any endpoint. */
export const allDelivered = (own: TestLedger) =>
  until(
    () => waiting(own),
    (count) => count === 0,
  );

/** The settings of a sender that takes one session of the shop. */
export const ONE = [{ endpoint: 'shop', settings: 'any', most: 1 }];

/** A sender's receiver, with other settings of the endpoint. */
export const withSettings = (receiver: Receiver, settings: Partial<WebhookEndpoint>): Receiver => ({
  ...receiver,
  endpoint: { ...receiver.endpoint, ...settings },
});
