import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError } from '../../src/errors';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import type { PaymentLedger } from '../payment-ledger';
import { isOpsKind, type OpsEvent } from '../../src/protocol/webhooks';
import type { OpsCondition } from './ops-conditions';
import type { DeliveryEvent } from './delivery-event';
import type { WebhookPost } from './post';

/** The parts of a sender of webhooks that messages for operators need. */
interface OpsSender {
  readonly ledger: Pick<PaymentLedger, 'environment' | 'opsConditions'>;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly post: Pick<WebhookPost, 'send'>;
  readonly onEvent: (event: DeliveryEvent) => void;
  readonly signal: AbortSignal;
}

const EVERY_MS = 5_000;

/**
 * Sends messages for operators to the endpoints whose `kinds` name them, until the signal aborts: once for each condition, with an id that
 * all senders give it. A refused message is sent again while the condition lasts.
 */
export async function sendOps(options: OpsSender): Promise<void> {
  const { ledger, endpoints, signal } = options;
  const wanting = endpoints.map((endpoint) => ({
    endpoint,
    kinds: (endpoint.kinds ?? []).filter(isOpsKind),
  }));
  const kinds = new Set(wanting.flatMap((one) => one.kinds));
  const refused = new Set<string>();
  const isOver = (): boolean => kinds.size === 0 || signal.aborted;
  while (!isOver()) {
    try {
      if (kinds.has('ops.parked')) await ledger.opsConditions.countParked();
      for (const { endpoint, kinds: own } of wanting) {
        if (own.length === 0) continue;
        for (const condition of await ledger.opsConditions.due(endpoint.name, own))
          if (endpoint.accounts?.includes(condition.account) !== false)
            await send(options, endpoint, condition, refused);
      }
    } catch (error) {
      // The sender of webhooks reports that the ledger is unavailable.
      if (!isPaysessionError(error)) throw error;
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function send(
  { ledger, post, onEvent }: OpsSender,
  endpoint: WebhookEndpoint,
  condition: OpsCondition,
  refused: Set<string>,
): Promise<void> {
  const { name } = endpoint;
  const event = eventOf(ledger.environment, condition);
  const id = idOf(ledger.environment, condition);
  const delivery = await post.send(endpoint, { id, body: JSON.stringify(event) });
  if (delivery.delivered) {
    refused.delete(`${name} ${id}`);
    await ledger.opsConditions.sentTo(name, condition);
  } else if (!refused.has(`${name} ${id}`)) {
    refused.add(`${name} ${id}`);
    onEvent({ kind: 'opsRefused', endpoint: name, type: event.type, outcome: delivery.outcome });
  }
}

function eventOf(environment: string, { kind: type, account, beganAt, detail }: OpsCondition): OpsEvent {
  const about = type === 'ops.parked' ? { sessions: Number(detail) } : { cause: detail };
  return { type, timestamp: beganAt.toISOString(), data: { environment, account, ...about } };
}

function idOf(environment: string, { kind, account, beganAt }: OpsCondition): string {
  const happened = JSON.stringify([environment, kind, account, beganAt.toISOString()]);
  return `msg_${createHash('sha256').update(happened).digest('base64url').slice(0, 27)}`;
}
