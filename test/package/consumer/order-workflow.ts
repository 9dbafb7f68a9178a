import { proxyActivities } from '@temporalio/workflow';
import { runPaymentSession, type PaymentSessionInput } from 'paysession/workflows';

export interface Warehouse {
  ship(order: string): Promise<void>;
  release(order: string): Promise<void>;
}

const { ship, release } = proxyActivities<Warehouse>({ startToCloseTimeout: '1m' });

/** Ships an order once it is paid, and releases it otherwise. */
export async function order(id: string, request: PaymentSessionInput['request']): Promise<string> {
  const payment = await runPaymentSession({ key: id, request });
  await (payment.paid ? ship(id) : release(id));
  return payment.paid ? 'shipped' : 'released';
}
