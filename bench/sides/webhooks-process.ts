/** A child process of the bench. It sends webhooks until the bench stops it or ends. */
import { webhookPost, PaymentLedger, sendWebhooks, type WebhookEndpoint } from '../../ledger';

const ledger = new PaymentLedger({ url: process.env['LEDGER_URL'] ?? '' });
const endpoints = JSON.parse(process.env['ENDPOINTS'] ?? '[]') as readonly WebhookEndpoint[];

// Ctrl-C in a terminal also reaches this process. It is ignored, because the bench decides when this process ends.
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
