import { ApplicationFailure } from '@temporalio/common';

/**
 * The steps of an order, except the payment. If the answer of a step is lost, Temporal repeats the step. So each step
 * is safe to repeat.
 */
export interface Warehouse {
  /** Reserves the items. @throws a non-retryable `OUT_OF_STOCK` failure if another order has one of them */
  reserve(orderId: string, items: readonly string[]): Promise<void>;
  release(orderId: string): Promise<void>;
  /** Ships the items, and returns the tracking number. */
  ship(orderId: string): Promise<string>;
  /** Records that the merchant must return the money, because the payment service cannot refund it. */
  oweRefund(orderId: string, sessionId: string): Promise<void>;
  /** Asks a person to check whether the session is paid. The items stay reserved. */
  review(orderId: string, sessionId: string): Promise<void>;
}

/** A warehouse in memory, with one piece of each item. */
export class MemoryWarehouse implements Warehouse {
  readonly reserved = new Map<string, readonly string[]>();
  readonly shipped = new Map<string, string>();
  readonly refundsOwed = new Map<string, string>();
  readonly inReview = new Map<string, string>();

  reserve(orderId: string, items: readonly string[]): Promise<void> {
    const taken = new Set(
      [...this.reserved].flatMap(([other, reserved]) => (other === orderId ? [] : reserved)),
    );
    const missing = items.filter((item) => taken.has(item));
    if (missing.length > 0)
      throw ApplicationFailure.nonRetryable(`Out of stock: ${missing.join(', ')}`, 'OUT_OF_STOCK');
    this.reserved.set(orderId, items);
    return Promise.resolve();
  }

  release(orderId: string): Promise<void> {
    this.reserved.delete(orderId);
    return Promise.resolve();
  }

  ship(orderId: string): Promise<string> {
    const items = this.reserved.get(orderId) ?? [];
    // This step always fails for a piano, to show what happens to a paid order that cannot be shipped.
    if (items.includes('piano')) throw new Error('A piano does not fit into the parcel.');
    const trackingNumber = this.shipped.get(orderId) ?? `parcel-${this.shipped.size + 1}`;
    this.shipped.set(orderId, trackingNumber);
    return Promise.resolve(trackingNumber);
  }

  oweRefund(orderId: string, sessionId: string): Promise<void> {
    this.refundsOwed.set(orderId, sessionId);
    return Promise.resolve();
  }

  review(orderId: string, sessionId: string): Promise<void> {
    this.inReview.set(orderId, sessionId);
    return Promise.resolve();
  }
}

/** Returns the warehouse's steps as activities. */
export function activitiesOf(warehouse: Warehouse): Warehouse {
  return {
    reserve: (orderId, items) => warehouse.reserve(orderId, items),
    release: (orderId) => warehouse.release(orderId),
    ship: (orderId) => warehouse.ship(orderId),
    oweRefund: (orderId, sessionId) => warehouse.oweRefund(orderId, sessionId),
    review: (orderId, sessionId) => warehouse.review(orderId, sessionId),
  };
}
