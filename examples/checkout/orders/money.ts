import type { WebhookKind } from 'paysession/ledger';

/** The progress of an order's money, from webhooks. */
export type Money = 'unknown' | 'paid' | 'arrived' | 'cameBack';

/** In order of progress. An order never goes back, even if reconciliation files come out of order. */
const STAGES: readonly Money[] = ['unknown', 'paid', 'arrived', 'cameBack'];

const STAGE_OF: { readonly [Kind in WebhookKind]?: Money } = {
  'session.paid': 'paid',
  'payment.settled': 'arrived',
  'payment.returned': 'cameBack',
};

/** The maximum number of messages, and of orders, that are kept. A real shop keeps all of them in its database. */
const MOST_KEPT = 10_000;

/** The content of webhooks, in memory. Keeps the ids of messages, so that a repeated message has no effect. */
export class OrderMoney {
  readonly #messages = new Set<string>();
  readonly #orders = new Map<string, Money>();

  of(orderId: string): Money {
    return this.#orders.get(orderId) ?? 'unknown';
  }

  /** Records a message about an order. Returns false if the message was recorded before. */
  take(messageId: string, orderId: string, kind: WebhookKind): boolean {
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
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
