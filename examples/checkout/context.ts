import type { PaymentSessions, SessionPolicy } from 'paysession';
import type { OrderEvents } from './orders/events';
import type { OrderMoney } from './orders/money';
import type { Product } from './products';

/** The parts that the shop's routes share. */
export interface ShopContext {
  readonly sessions: PaymentSessions;
  readonly products: readonly Product[];
  /** The policy of payment sessions. If `undefined`, the library's default policy applies. */
  readonly policy: SessionPolicy | undefined;
  readonly events: OrderEvents;
  /** The progress of the orders' money, as webhooks have reported it. `undefined` if the shop receives no webhooks. */
  readonly money: OrderMoney | undefined;
}
