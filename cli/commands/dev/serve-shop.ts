import { randomBytes } from 'node:crypto';
import { createShop } from '../../../examples/checkout/shop';
import { toPortError } from '../../../src/errors';
import type { Stack } from '../../shared/stack';
import { newSecret } from '../webhooks/new-secret';
import { webhookPost, sendWebhooks, type PaymentLedger } from '../../../ledger';
import type { WebhookEndpoint } from '../../../src/settings';
import { printDelivery } from '../webhooks/send';

/** Serves the example of a shop on this machine, which receives webhooks if there is a ledger. Throws `PORT_IN_USE`. */
export async function serveShop(
  { sessions, ledger }: Pick<Stack, 'sessions' | 'ledger'>,
  port: number,
  tellMerchant: (line: string) => void,
) {
  const secret = newSecret();
  const source = ledger?.ledger && { ledger: ledger.ledger, isOwn: ledger.ownUrl !== undefined };
  const shop = createShop({ sessions, webhooks: source && { secret, tellMerchant } });
  try {
    const { url } = await shop.listen({ port });
    const telling = source && (await tellShop(source, { url: `${url}/webhooks`, secret }));
    return {
      url,
      close: async () => {
        await telling?.stop();
        await shop.close();
      },
    };
  } catch (error) {
    await shop.close();
    throw toPortError(error, port, 'Choose another one with --shop-port,');
  }
}

/** The ledger whose webhooks the shop receives. */
interface ShopSource {
  readonly ledger: PaymentLedger;
  /** True if it is this stack's own ledger, and not one from the settings. */
  readonly isOwn: boolean;
}

/** Sends the shop all webhooks until it is stopped. */
async function tellShop(
  { ledger, isOwn }: ShopSource,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<{ stop(): Promise<void> }> {
  // A new name each time, because the secret is new.
  const name = `sample-shop-${randomBytes(4).toString('hex')}`;
  const endpoint: WebhookEndpoint = { name, url, secrets: [secret] };
  if (isOwn) await tellAgain(ledger, endpoint);
  const stopping = new AbortController();
  const post = webhookPost({ allowsLoopback: true });
  const sending = sendWebhooks({
    ledger,
    endpoints: [endpoint],
    post,
    onEvent: (event) => {
      if (event.kind === 'away' || event.kind === 'withheld') printDelivery(event, {});
    },
    isPassing: true,
    signal: stopping.signal,
  });
  return {
    stop: async () => {
      stopping.abort();
      await sending;
      await post.close();
      // If this fails, senders forget the endpoint after a minute without deliveries.
      await ledger.webhookEndpoints.forget(name).catch(() => undefined);
    },
  };
}

/** Sends the shop all webhooks from before this run once more. The shop keeps what it receives in memory only. */
async function tellAgain(ledger: PaymentLedger, endpoint: WebhookEndpoint): Promise<void> {
  await ledger.webhookEndpoints.register([endpoint], { isPassing: true });
  await ledger.webhookEndpoints.replay(endpoint.name, new Date(0));
}
