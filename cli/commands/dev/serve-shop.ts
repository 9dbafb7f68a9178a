import { randomBytes } from 'node:crypto';
import { createShop } from '../../../examples/checkout/shop';
import { toPortError } from '../../../src/errors';
import type { Stack } from '../../shared/stack';
import { newSecret } from '../webhooks/new-secret';
import { webhookPost, sendWebhooks, type PaymentLedger } from '../../../ledger';
import type { WebhookEndpoint } from '../../../src/settings';
import { printDelivery } from '../webhooks/send';

/**
 * Serves the sample shop on this machine. The shop receives webhooks if there is a ledger. Throws `PaysessionError`
 * `PORT_IN_USE` if the port is taken, `INVALID_SETTINGS` if this user may not listen on it, and the ledger's errors.
 */
export async function serveShop(
  { sessions, ledger: ofStack }: Pick<Stack, 'sessions' | 'ledger'>,
  port: number,
  notifyMerchant: (line: string) => void,
) {
  const ledger = ofStack?.ledger;
  const secret = newSecret();
  const shop = createShop({ sessions, webhooks: ledger && { secret, notifyMerchant } });
  try {
    const { url } = await shop.listen({ port });
    // The endpoint has a new name each time, because its secret is new.
    const name = `sample-shop-${randomBytes(4).toString('hex')}`;
    const endpoint = { name, url: `${url}/webhooks`, secrets: [secret] };
    if (ledger !== undefined && ofStack?.ownUrl !== undefined) await sendAgain(ledger, endpoint);
    const sender = ledger && sendTo(endpoint, ledger);
    return {
      url,
      close: async () => {
        await sender?.stop();
        await shop.close();
      },
    };
  } catch (error) {
    await shop.close();
    throw toPortError(error, port, 'Choose another port with --shop-port,');
  }
}

/** Queues the webhooks from before this run for the shop, because the shop keeps what it receives in memory only. */
async function sendAgain(ledger: PaymentLedger, endpoint: WebhookEndpoint): Promise<void> {
  await ledger.webhookEndpoints.register([endpoint], { isPassing: true });
  await ledger.webhookEndpoints.replay(endpoint.name, new Date(0));
}

/** Sends all webhooks to the shop until `stop` is called. */
function sendTo(endpoint: WebhookEndpoint, ledger: PaymentLedger) {
  const stopping = new AbortController();
  const post = webhookPost({ allowsLoopback: true });
  const sending = sendWebhooks({
    ledger,
    endpoints: [endpoint],
    post,
    onEvent: (event) => {
      if (event.kind === 'away' || event.kind === 'withheld' || event.kind === 'unreadable')
        printDelivery(event, {});
    },
    isPassing: true,
    signal: stopping.signal,
  });
  return {
    stop: async () => {
      stopping.abort();
      await sending;
      await post.close();
      // If this fails, other senders remove the endpoint after a minute without a sender.
      await ledger.webhookEndpoints.forget(endpoint.name).catch(() => undefined);
    },
  };
}
