import type { WebhookKind } from 'paysession/ledger';

/** How far an order's money has come, as webhooks have told it. */
export type Money = 'unknown' | 'paid' | 'arrived' | 'cameBack';

/** The later, the further: files of the bank's may tell out of order, and what came back has not arrived. */
const STAGES: readonly Money[] = ['unknown', 'paid', 'arrived', 'cameBack'];

const STAGE_OF: { readonly [Kind in WebhookKind]?: Money } = {
  'session.paid': 'paid',
  'payment.settled': 'arrived',
  'payment.returned': 'cameBack',
};

/** A shop that lives for long keeps them in its database instead. */
const MOST_KEPT = 10_000;

/** What webhooks have told, in memory: a message's id is kept with what it did, so that one that comes twice does nothing again. */
export class OrderMoney {
  readonly #messages = new Set<string>();
  readonly #orders = new Map<string, Money>();

  of(orderId: string): Money {
    return this.#orders.get(orderId) ?? 'unknown';
  }

  /** Takes what a message tells of an order; gives false where the message has been taken before. */
  take(messageId: string, orderId: string, kind: WebhookKind): boolean {
    if (this.#messages.has(messageId)) return false;
    const before = this.of(orderId);
    const told = STAGE_OF[kind] ?? before;
    if (STAGES.indexOf(told) > STAGES.indexOf(before)) this.#orders.set(orderId, told);
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
