import type { SessionRequest } from 'paysession';

export interface Order {
  readonly id: string;
  readonly items: readonly string[];
  /** The payment to ask for. */
  readonly payment: SessionRequest;
}

export type OrderOutcome =
  | { readonly outcome: 'shipped'; readonly trackingNumber: string }
  /** Not paid, so the items are free again. */
  | { readonly outcome: 'released'; readonly payment: string }
  /** Completed, but not known to be paid: the items stay reserved until a person has checked the session. */
  | { readonly outcome: 'inReview'; readonly sessionId: string }
  /** Paid, but not shipped: the merchant returns the money by other means. */
  | { readonly outcome: 'refundOwed'; readonly sessionId: string };
