import { randomBytes } from 'node:crypto';
import type { Product } from '../products';

/** An id names the product. It has at most 36 characters, as many as a regular EFT session's reference may have. */
const ORDER_ID = /^shop-([a-z]{1,12})-[0-9a-f]{18}$/;

/**
 * Returns an id that cannot be guessed: its holder may see the order and cancel it. It is the payment session's key, so that an order that is sent
 * twice is paid once.
 */
export function newOrderId({ id }: Product): string {
  return `shop-${id}-${randomBytes(9).toString('hex')}`;
}

/** Returns the product of an order; `undefined` if the text is not an order of this shop. */
export function productOf(orderId: string, products: readonly Product[]): Product | undefined {
  const id = ORDER_ID.exec(orderId)?.[1];
  return products.find((product) => product.id === id);
}
