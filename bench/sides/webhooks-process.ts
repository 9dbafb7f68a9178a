import { webhookPost, PaymentLedger, sendWebhooks, type WebhookEndpoint } from '../../ledger';

/** Sends webhooks in this process, which a bench has forked, until the bench ends. */
const ledger = new PaymentLedger({ url: process.env['LEDGER_URL'] ?? '' });
const endpoints = JSON.parse(process.env['ENDPOINTS'] ?? '[]') as readonly WebhookEndpoint[];

// A Ctrl-C in a terminal reaches this process, too; the bench decides when it ends.
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
