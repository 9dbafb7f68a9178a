import { createSandbox, DEFAULT_CLIENT, type SandboxOptions } from '../../../sandbox';
import { createWorld } from '../../support/world';
import { MerchantSite } from './merchant-site';

export interface TwoServices {
  readonly site: MerchantSite;
  close(): Promise<void>;
}

/** A merchant's site with two accounts: `default`, and `other` at a sandbox whose options are not the defaults. */
export async function openTwoServices(options: SandboxOptions): Promise<TwoServices> {
  const other = createSandbox(options);
  const { url: baseUrl } = await other.listen();
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const account = { baseUrl, clientId, clientSecret };
  const world = await createWorld({ otherAccounts: { other: account } });
  const site = await MerchantSite.open(world);
  return {
    site,
    close: async () => {
      site.close();
      await world.close();
      await other.close();
    },
  };
}
