import { setTimeout as sleep } from 'node:timers/promises';
import { sendWebhooks, type WebhookEvent, type WebhookEndpoint } from '../../../../ledger';
import type { Environment } from './environment';
import type { ModelWorld } from './world';

/** The receiver of an environment's webhooks. */
export const ENDPOINT: WebhookEndpoint = {
  name: 'shop',
  url: 'https://shop.example/webhooks',
  secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
};

/** A received webhook. */
export interface ReceivedWebhook {
  readonly environment: string;
  readonly id: string;
  readonly event: WebhookEvent;
  /** The number of earlier restores of the ledger. */
  readonly restores: number;
}

/** The maximum time for sending, which is longer than it ever takes. */
const SENT_WITHIN_MS = 60_000;

/** Sends all webhooks that wait in the outbox of an environment. */
export async function sendAll(world: ModelWorld, environment: Environment): Promise<void> {
  const { ledger, name } = environment;
  if (await isEmpty(environment)) return;
  const stop = new AbortController();
  const sending = sendWebhooks({
    ledger,
    endpoints: [ENDPOINT],
    post: {
      send: (_endpoint, { id, body }) => {
        world.received.push({
          environment: name,
          id,
          event: JSON.parse(body) as WebhookEvent,
          restores: world.ledgerRestores,
        });
        return Promise.resolve({ delivered: true, outcome: 'HTTP 204' });
      },
      close: () => Promise.resolve(),
    },
    onEvent: () => undefined,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(SENT_WITHIN_MS)]),
  });
  while (!(await isEmpty(environment))) await sleep(5);
  stop.abort();
  await sending;
}

const isEmpty = async ({ ledger }: Environment): Promise<boolean> =>
  (await ledger.webhookEndpoints.all()).every(({ waiting }) => waiting === 0);
