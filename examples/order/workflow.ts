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
 * Runs one order: reserves the items, takes the payment, and then acts on the end of the payment. If the order is
 * cancelled, its payment is cancelled, too. If the payor has paid before that, the items are still shipped.
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
    // The items may be reserved although the step failed. Releasing an item that is not reserved does nothing.
    await CancellationScope.nonCancellable(() => warehouse.release(input.id));
    throw error;
  }
  // The payment has ended, so a cancellation of the order comes too late. The rest runs even if the order is cancelled.
  return CancellationScope.nonCancellable(() => settle(input, payment));
}

/**
 * Acts on the end of the payment: ships a paid order. `paid` means that the debit is scheduled. A regular EFT can come
 * back days later. So ship only goods that you can afford to lose, or request a guaranteed EFT.
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
 * Acts on a payment that ended unpaid. If it is `Completed`, it may still become paid, for instance by a late
 * signature. So the items stay reserved until a person has checked the session. Otherwise the items are released.
 */
async function settleUnpaid(id: string, { status, sessionId = '' }: UnpaidSession): Promise<OrderOutcome> {
  if (status === 'Completed') {
    await warehouse.review(id, sessionId);
    return { outcome: 'inReview', sessionId };
  }
  await warehouse.release(id);
  return { outcome: 'released', payment: status };
}
