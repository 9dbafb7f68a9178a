import type { WebhookKind } from 'paysession/ledger';

/** The progress of an order's money, as webhooks have reported it. */
export type Money = 'unknown' | 'paid' | 'arrived' | 'cameBack';

/**
 * The stages of an order's money, in their order. An order never goes back to an earlier stage, even if webhooks arrive
 * in another order.
 */
const STAGES: readonly Money[] = ['unknown', 'paid', 'arrived', 'cameBack'];

const STAGE_OF: { readonly [Kind in WebhookKind]?: Money } = {
  'session.paid': 'paid',
  'payment.settled': 'arrived',
  'payment.returned': 'cameBack',
};

/**
 * The maximum number of message ids, and the maximum number of orders, in memory. A real shop keeps all of them in its
 * database.
 */
const MAX_KEPT = 10_000;

/**
 * Stores in memory what webhooks report about orders. Also stores the messages' ids, so that a repeated message has no
 * effect.
 */
export class OrderMoney {
  readonly #messages = new Set<string>();
  readonly #orders = new Map<string, Money>();

  of(orderId: string): Money {
    return this.#orders.get(orderId) ?? 'unknown';
  }

  /** Records a message about an order. Returns false if the message was recorded before. */
  record(messageId: string, orderId: string, kind: WebhookKind): boolean {
    if (this.#messages.has(messageId)) return false;
    const before = this.of(orderId);
    const reported = STAGE_OF[kind] ?? before;
    if (STAGES.indexOf(reported) > STAGES.indexOf(before)) this.#orders.set(orderId, reported);
    this.#messages.add(messageId);
    dropOldest(this.#messages);
    dropOldest(this.#orders);
    return true;
  }
}

function dropOldest(kept: Set<string> | Map<string, Money>): void {
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}
