import { afterAll, beforeAll } from '@jest/globals';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../../sandbox';
import { createWorld, type World } from '../../../support/worlds/world';
import { MerchantSite } from './merchant-site';
import { DEFAULT_CLIENT } from '../../../../sandbox/default-client';

/**
 * Serves a merchant’s site for all tests of a file. If there are options, the site has a second account `other`, at a second sandbox
 * with these options.
 */
export function useMerchantSite(otherOptions?: SandboxOptions): () => MerchantSite {
  let other: Sandbox | undefined;
  let world: World;
  let site: MerchantSite;

  beforeAll(async () => {
    other = otherOptions && createSandbox(otherOptions);
    world = await createWorld(other && { otherAccounts: { other: await accountAt(other) } });
    site = await MerchantSite.open(world);
  });

  afterAll(async () => {
    site.close();
    await world.close();
    await other?.close();
  });

  return () => site;
}

async function accountAt(sandbox: Sandbox) {
  const { url: baseUrl } = await sandbox.listen();
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  return { baseUrl, clientId, clientSecret };
}
