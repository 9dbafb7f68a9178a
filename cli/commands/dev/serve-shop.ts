// First, because the shop needs these packages.
import './packages';
import { createShop } from '../../../examples/checkout/shop';
import { toPortError } from '../../../src/errors';
import type { Stack } from '../../shared/stack';
import { newSecret } from '../webhooks/new-secret';
import { tellShop } from './tell-shop';

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
