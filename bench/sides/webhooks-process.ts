/** Sends webhooks in this process, a child of the bench, until the bench stops it or ends. */
import { webhookPost, PaymentLedger, sendWebhooks, type WebhookEndpoint } from '../../ledger';

const ledger = new PaymentLedger({ url: process.env['LEDGER_URL'] ?? '' });
const endpoints = JSON.parse(process.env['ENDPOINTS'] ?? '[]') as readonly WebhookEndpoint[];

// Ctrl-C in a terminal reaches this process, too, but the bench decides when it ends.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
void sendWebhooks({
  ledger,
  endpoints,
  post: webhookPost({ allowsLoopback: true }),
  onEvent: () => undefined,
  signal: new AbortController().signal,
});
process.send?.({ ready: true });
