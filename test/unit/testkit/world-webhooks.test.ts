import { expect, test } from '@jest/globals';
import { startWorldWebhooks, type WebhooksContext } from '../../../testkit/world/world-webhooks';

/**
 * Returns a context in which no webhook is due. Also returns the number of searches for due webhooks. Calls `onSearched` at the end of
 * each search.
 */
function emptyContext(onSearched: () => void) {
  const counted = { searches: 0, registered: [] as unknown[] };
  const ledger = {
    webhookEndpoints: { register: (...args: unknown[]) => Promise.resolve(counted.registered.push(args)) },
    webhooks: {
      take: () => {
        counted.searches += 1;
        return Promise.resolve([]);
      },
    },
    webhookDeliveries: {
      nextTryInMs: () => {
        onSearched();
        return Promise.resolve(undefined);
      },
    },
  };
  const context = { ledger, outbox: {}, time: { aheadMs: 0 } } as unknown as WebhooksContext;
  return { counted, context };
}

test.each(Array.from({ length: 8 }, (_, steps) => steps))(
  'a test world searches for webhooks again if an entry is recorded %i microtasks after the last search',
  async (steps) => {
    const recorded: Promise<void>[] = [];
    const record = async () => {
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      await delivering.deliver();
    };
    const { counted, context } = emptyContext(() => {
      if (recorded.length === 0) recorded.push(record());
    });
    const delivering = await startWorldWebhooks(context);
    await delivering.deliver();
    await Promise.all(recorded);
    expect(counted.searches).toBe(2);
  },
);

test('a test world registers its webhook endpoint once', async () => {
  const { counted, context } = emptyContext(() => undefined);
  await startWorldWebhooks(context);
  expect(counted.registered).toEqual([[[expect.objectContaining({ name: 'world' })]]]);
});
