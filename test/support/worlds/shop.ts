import { join } from 'node:path';
import { jest } from '@jest/globals';
import { PaymentSessions, type SessionPolicy } from 'paysession';
import type * as ShopModule from '../../../examples/checkout/shop';
import { use } from './use';
import type { World } from './world';

/** Creates the example shop. This is the compiled shop, because the script of its page exists only in the build. */
export const { createShop } = jest.requireActual<typeof ShopModule>(
  join(__dirname, '..', '..', '..', 'dist', 'examples', 'checkout', 'shop.js'),
);

const unpaid: unknown = {
  get: () => ({
    state: () => Promise.resolve({ phase: 'open', status: 'Initiated', paid: false }),
    stateHistory: () => Promise.resolve([]),
  }),
};

/** Payment sessions without Temporal: every session is open and unpaid. */
export const UNPAID_SESSIONS = unpaid as PaymentSessions;

/** The policy of a session that is not polled during a test. It changes only by a refresh or a cancel. */
export const NO_POLLS: SessionPolicy = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' };

/** With this interval, the shop does not read an order again during a test. Changes by the shop itself show at once. */
const NO_READS_MS = 3_600_000;

export interface OpenShop {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the shop. It uses the world’s Temporal server and worker. */
export async function openShop(
  { client, taskQueue }: World,
  options: Partial<ShopModule.ShopOptions> = {},
): Promise<OpenShop> {
  const sessions = new PaymentSessions(client, { taskQueue });
  const shop = createShop({ sessions, policy: NO_POLLS, lookEveryMs: NO_READS_MS, ...options });
  const { url } = await shop.listen();
  return { url, close: () => shop.close() };
}

/** Starts a shop for all tests of a file. */
export function useShop(world: World): OpenShop {
  return use(
    () => openShop(world),
    (shop) => shop.close(),
  );
}
