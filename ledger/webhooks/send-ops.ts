import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError } from '../../src/errors';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import type { PaymentLedger } from '../payment-ledger';
import { isOpsKind, type OpsEvent, type OpsKind } from '../../src/protocol/webhooks';
import type { OpsCondition } from './ops-conditions';
import type { DeliveryEvent } from './delivery-event';
import { idOfEvent } from './message';
import type { WebhookPost } from './post';

/** The options of a sender of webhooks that are needed for messages to operators. */
interface OpsSender {
  readonly ledger: Pick<PaymentLedger, 'environment' | 'opsConditions'>;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly post: Pick<WebhookPost, 'send'>;
  readonly onEvent: (event: DeliveryEvent) => void;
  readonly signal: AbortSignal;
}

const EVERY_MS = 5_000;

/**
 * Sends messages to operators until the signal aborts. A message reports a condition, such as a paused account. It goes to the endpoints whose
 * `kinds` include it. For each condition that lasts for a minute, sends at least one message. The message has the same id from all senders. If it is
 * refused, it is sent again while the condition lasts.
 */
export async function sendOps(options: OpsSender, everyMs = EVERY_MS): Promise<void> {
  const { ledger, signal } = options;
  const wanting = options.endpoints.flatMap((endpoint) => {
    const kinds = endpoint.kinds?.filter(isOpsKind) ?? [];
    return kinds.length === 0 ? [] : [{ endpoint, kinds }];
  });
  const isCounting = wanting.some(({ kinds }) => kinds.includes('ops.parked'));
  // Endpoints and counts run separately, because an endpoint that hangs must not delay the others. A condition that is not counted again ends.
  await Promise.all([
    isCounting && repeatedly(signal, everyMs, () => ledger.opsConditions.countParked()),
    ...wanting.map(({ endpoint, kinds }) => {
      const refused = new Set<string>();
      return repeatedly(signal, everyMs, () => sendDue(options, endpoint, kinds, refused));
    }),
  ]);
}

async function repeatedly(signal: AbortSignal, everyMs: number, step: () => Promise<void>): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      await step();
    } catch (error) {
      // If the ledger is unavailable, `WebhookSender` reports that.
      if (!isPaysessionError(error)) throw error;
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Sends the due messages at the same time, because each may wait long for its answer. There are few of them, at most one for each kind and account.
 */
async function sendDue(
  options: OpsSender,
  endpoint: WebhookEndpoint,
  kinds: readonly OpsKind[],
  refused: Set<string>,
): Promise<void> {
  const due = await options.ledger.opsConditions.due(endpoint.name, kinds);
  if (options.signal.aborted) return;
  const own = due.filter(({ account }) => endpoint.accounts?.includes(account) !== false);
  await Promise.all(own.map((condition) => send(options, endpoint, condition, refused)));
}

async function send(
  { ledger, post, onEvent }: OpsSender,
  endpoint: WebhookEndpoint,
  condition: OpsCondition,
  refused: Set<string>,
): Promise<void> {
  const { name } = endpoint;
  const event = eventOf(ledger.environment, condition);
  const id = idOfEvent([event.data.environment, event.type, event.data.account, event.timestamp]);
  const delivery = await post.send(endpoint, { id, body: JSON.stringify(event) });
  if (delivery.delivered) {
    refused.delete(id);
    await ledger.opsConditions.sentTo(name, condition);
  } else if (!refused.has(id)) {
    refused.add(id);
    onEvent({ kind: 'opsRefused', endpoint: name, type: event.type, outcome: delivery.outcome });
  }
}

function eventOf(environment: string, { kind: type, account, beganAt, detail }: OpsCondition): OpsEvent {
  const about = type === 'ops.parked' ? { sessions: Number(detail) } : { cause: detail };
  return { type, timestamp: beganAt.toISOString(), data: { environment, account, ...about } };
}
