import type { PaymentSessions, SessionPolicy } from 'paysession';
import type { OrderEvents } from './orders/events';
import type { OrderMoney } from './orders/money';
import type { Product } from './products';

/** The parts that the shop's routes share. */
export interface ShopContext {
  readonly sessions: PaymentSessions;
  readonly products: readonly Product[];
  /** The policy of payment sessions; `undefined` for the library's own. */
  readonly policy: SessionPolicy | undefined;
  readonly events: OrderEvents;
  /** The orders' money, from webhooks; `undefined` if the shop receives no webhooks. */
  readonly money: OrderMoney | undefined;
}
