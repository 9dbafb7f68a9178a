import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import { runPaymentSession, type SessionResult, type UnpaidSession } from 'paysession/workflows';
import type { Warehouse } from './warehouse';
import type { Order, OrderOutcome } from './types';

const warehouse = proxyActivities<Warehouse>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 5, initialInterval: '200ms' },
});

export interface OrderOptions {
  /** The task queue of the payment workers. @default 'payment-sessions' */
  readonly paymentTaskQueue?: string;
}

/**
 * Reserves the items and takes the payment. Then ships the items, releases them, asks a person to check, or, if shipping
 * fails, records that a refund is owed. Cancelling the order cancels its payment. If the payor was faster, the items are
 * still shipped.
 */
export async function order(input: Order, { paymentTaskQueue }: OrderOptions = {}): Promise<OrderOutcome> {
  let payment: SessionResult;
  try {
    await warehouse.reserve(input.id, input.items);
    payment = await runPaymentSession(
      { key: input.id, request: input.payment },
      paymentTaskQueue === undefined ? {} : { taskQueue: paymentTaskQueue },
    );
  } catch (error) {
    // A failed step may have taken effect. Releasing an item that is not reserved does nothing.
    await CancellationScope.nonCancellable(() => warehouse.release(input.id));
    throw error;
  }
  // From here on the payment decides, even if the order was cancelled in the meantime.
  return CancellationScope.nonCancellable(() => settle(input, payment));
}

/**
 * Acts on the end of the payment. Paid means scheduled: a regular EFT can come back days later. Ship what you can afford
 * to lose, or ask for a guaranteed EFT.
 */
async function settle({ id }: Order, payment: SessionResult): Promise<OrderOutcome> {
  if (!payment.paid) return settleUnpaid(id, payment);
  try {
    return { outcome: 'shipped', trackingNumber: await warehouse.ship(id) };
  } catch {
    const { sessionId } = payment;
    await warehouse.oweRefund(id, sessionId);
    await warehouse.release(id);
    return { outcome: 'refundOwed', sessionId };
  }
}

/**
 * Releases the items, unless the payment is `Completed`. Such a payment may still become paid, for instance by a late
 * signature. The items stay reserved until a person has checked the session.
 */
async function settleUnpaid(id: string, { status, sessionId = '' }: UnpaidSession): Promise<OrderOutcome> {
  if (status === 'Completed') {
    await warehouse.review(id, sessionId);
    return { outcome: 'inReview', sessionId };
  }
  await warehouse.release(id);
  return { outcome: 'released', payment: status };
}
