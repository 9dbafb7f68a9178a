import { randomBytes } from 'node:crypto';
import type { Product } from '../products';

/** Names the product, and is at most as long as a reference of an EFT session may be: 36 characters. */
const ORDER_ID = /^shop-([a-z]{1,12})-[0-9a-f]{18}$/;

/**
 * An id that nobody guesses: who has it may see the order and cancel it. It is the payment session's key, so that an order
 * that is sent twice is paid once.
 */
export function newOrderId({ id }: Product): string {
  return `shop-${id}-${randomBytes(9).toString('hex')}`;
}

/** The product that an order is for; `undefined` when the text is no order of this shop. */
export function productOf(orderId: string, products: readonly Product[]): Product | undefined {
  const id = ORDER_ID.exec(orderId)?.[1];
  return products.find((product) => product.id === id);
}
