import { randomBytes } from 'node:crypto';
import { webhookPost, sendWebhooks, type PaymentLedger } from '../../../ledger';
import type { WebhookEndpoint } from '../../../src/settings';
import { printEvent } from '../webhooks/send';

/** Whose webhooks the shop gets. */
interface ShopSource {
  readonly ledger: PaymentLedger;
  /** Whether it is this stack's own, rather than one that is set. */
  readonly isOwn: boolean;
}

/** Sends the shop all webhooks until it is stopped. */
export async function tellShop(
  { ledger, isOwn }: ShopSource,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<{ stop(): Promise<void> }> {
  // Another one each time, for so is the secret.
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
      if (event.kind === 'away' || event.kind === 'withheld') printEvent(event, {});
    },
    isPassing: true,
    signal: stopping.signal,
  });
  return {
    stop: async () => {
      stopping.abort();
      await sending;
      await post.close();
      // Where this fails, senders forget it once nobody has sent to it for a minute.
      await ledger.webhookEndpoints.forget(name).catch(() => undefined);
    },
  };
}

/** The shop keeps what webhooks tell in memory: it has to hear again what it heard before this run. */
async function tellAgain(ledger: PaymentLedger, endpoint: WebhookEndpoint): Promise<void> {
  await ledger.webhookEndpoints.register([endpoint], { isPassing: true });
  await ledger.webhookEndpoints.replay(endpoint.name, new Date(0));
}
