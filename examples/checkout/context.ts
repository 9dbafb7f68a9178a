import type { PaymentSessions, SessionPolicy } from 'paysession';
import type { OrderEvents } from './orders/events';
import type { OrderMoney } from './orders/money';
import type { Product } from './products';

/** What the shop's routes share. */
export interface ShopContext {
  readonly sessions: PaymentSessions;
  readonly products: readonly Product[];
  /** How payment sessions are followed; `undefined`: by the library's own policy. */
  readonly policy: SessionPolicy | undefined;
  readonly events: OrderEvents;
  /** What webhooks have told; `undefined` where the shop takes none. */
  readonly money: OrderMoney | undefined;
}
