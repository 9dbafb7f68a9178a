import { randomBytes } from 'node:crypto';
import { newsPost, sendNews, type PaymentLedger } from '../../../ledger';
import type { NewsEndpoint } from '../../../src/settings';
import { printEvent } from '../news/send';

/** Whose news the shop gets. */
interface ShopSource {
  readonly ledger: PaymentLedger;
  /** Whether it is this stack's own, rather than one that is set. */
  readonly isOwn: boolean;
}

/** Sends the shop all news until it is stopped. */
export async function tellShop(
  { ledger, isOwn }: ShopSource,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<{ stop(): Promise<void> }> {
  // Another one each time, for so is the secret.
  const name = `sample-shop-${randomBytes(4).toString('hex')}`;
  const endpoint: NewsEndpoint = { name, url, secrets: [secret] };
  if (isOwn) await tellAgain(ledger, endpoint);
  const stopping = new AbortController();
  const post = newsPost({ allowsLoopback: true });
  const sending = sendNews({
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
      await ledger.newsEndpoints.forget(name).catch(() => undefined);
    },
  };
}

/** The shop keeps what news tells in memory: it has to hear again what it heard before this run. */
async function tellAgain(ledger: PaymentLedger, endpoint: NewsEndpoint): Promise<void> {
  await ledger.news.register([endpoint], { isPassing: true });
  await ledger.newsEndpoints.replay(endpoint.name, new Date(0));
}
