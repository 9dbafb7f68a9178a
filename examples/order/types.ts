import type { SessionRequest } from 'paysession';

export interface Order {
  readonly id: string;
  readonly items: readonly string[];
  /** What the payor is asked for. */
  readonly payment: SessionRequest;
}

export type OrderOutcome =
  | { readonly outcome: 'shipped'; readonly trackingNumber: string }
  /** Not paid, so the items are free again. */
  | { readonly outcome: 'released'; readonly payment: string }
  /** Completed, but not known to be paid: the items stay reserved until a person has looked at the session. */
  | { readonly outcome: 'inReview'; readonly sessionId: string }
  /** Paid, but it could not be shipped: the payor gets the money back by other means. */
  | { readonly outcome: 'refundOwed'; readonly sessionId: string };
