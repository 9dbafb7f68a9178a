import { join } from 'node:path';
import { jest } from '@jest/globals';
import { PaymentSessions, type SessionPolicy } from 'paysession';
import type * as ShopModule from '../../../examples/checkout/shop';
import { use } from './use';
import type { World } from './world';

/** The built shop, for its page's script is built for browsers. */
export const { createShop } = jest.requireActual<typeof ShopModule>(
  join(__dirname, '..', '..', '..', 'dist', 'examples', 'checkout', 'shop.js'),
);

const unpaid: unknown = {
  get: () => ({
    state: () => Promise.resolve({ phase: 'open', status: 'Initiated', paid: false }),
    stateHistory: () => Promise.resolve([]),
  }),
};

/** In place of Temporal: every session is open, and knows nothing of its payment yet. */
export const UNPAID_SESSIONS = unpaid as PaymentSessions;

/** Never polls by itself within a test: what a session learns, it learns from a refresh or a cancel. */
export const NO_POLLS: SessionPolicy = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' };

/** The page polls its order this rarely: the shop sends it the changes. */
const NO_LOOKS_MS = 3_600_000;

export interface OpenShop {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the shop with the world's Temporal server and worker, listening. */
export async function openShop(
  { client, taskQueue }: World,
  options: Partial<ShopModule.ShopOptions> = {},
): Promise<OpenShop> {
  const sessions = new PaymentSessions(client, { taskQueue });
  const shop = createShop({ sessions, policy: NO_POLLS, lookEveryMs: NO_LOOKS_MS, ...options });
  const { url } = await shop.listen();
  return { url, close: () => shop.close() };
}

/** A shop for all tests of a file. */
export function useShop(world: World): OpenShop {
  return use(
    () => openShop(world),
    (shop) => shop.close(),
  );
}
