import type { SessionRequest } from 'paysession';

export interface Order {
  readonly id: string;
  readonly items: readonly string[];
  /** The request of the order's payment session. */
  readonly payment: SessionRequest;
}

export type OrderOutcome =
  | { readonly outcome: 'shipped'; readonly trackingNumber: string }
  /** The order is not paid, so its items are free again. */
  | { readonly outcome: 'released'; readonly payment: string }
  /** The session is `Completed`, but may be unpaid. The items stay reserved until a person has checked the session. */
  | { readonly outcome: 'inReview'; readonly sessionId: string }
  /** The order is paid, but cannot be shipped. The merchant returns the money by other means. */
  | { readonly outcome: 'refundOwed'; readonly sessionId: string };
