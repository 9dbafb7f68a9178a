import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import { runPaymentSession, type SessionResult } from 'paysession/workflows';
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
 * Reserves the items, takes the payment, and ships what is paid or releases what is not. Cancelling the order cancels its
 * payment; a payor who was faster gets the items all the same.
 */
export async function order(input: Order, { paymentTaskQueue }: OrderOptions = {}): Promise<OrderOutcome> {
  try {
    await warehouse.reserve(input.id, input.items);
    const payment = await runPaymentSession(
      { key: input.id, request: input.payment },
      paymentTaskQueue === undefined ? {} : { taskQueue: paymentTaskQueue },
    );
    // From here on the payment decides, whether or not the order was cancelled meanwhile.
    return await CancellationScope.nonCancellable(() => settle(input, payment));
  } catch (error) {
    // A step that failed may have happened: releasing what was never reserved does nothing.
    await CancellationScope.nonCancellable(() => warehouse.release(input.id));
    throw error;
  }
}

async function settle({ id }: Order, payment: SessionResult): Promise<OrderOutcome> {
  if (!isPaid(payment)) {
    await warehouse.release(id);
    return { outcome: 'released', payment: payment.status };
  }
  try {
    return { outcome: 'shipped', trackingNumber: await warehouse.ship(id) };
  } catch {
    const { sessionId = '' } = payment;
    await warehouse.oweRefund(id, sessionId);
    await warehouse.release(id);
    return { outcome: 'refundOwed', sessionId };
  }
}

/** Completed and, for an EFT session, with the PAD agreement signed. */
function isPaid({ status, unsigned }: SessionResult): boolean {
  return status === 'Completed' && unsigned !== true;
}
