import { randomBytes } from 'node:crypto';
import type { Product } from '../products';

/**
 * An order's id contains the product's id. It has at most 36 characters, because it is also the session's reference.
 * The reference of a regular EFT may not be longer.
 */
const ORDER_ID = /^shop-([a-z]{1,12})-[0-9a-f]{18}$/;

/**
 * Returns an id for a new order. A person who knows the id may see the order and cancel it, so the id cannot be
 * guessed. The id is also the payment session's key. So if an order is sent twice, it is paid only once.
 */
export function newOrderId({ id }: Product): string {
  return `shop-${id}-${randomBytes(9).toString('hex')}`;
}

/** Returns the product of an order, or `undefined` if the text is not an order id of this shop. */
export function productOf(orderId: string, products: readonly Product[]): Product | undefined {
  const id = ORDER_ID.exec(orderId)?.[1];
  return products.find((product) => product.id === id);
}
