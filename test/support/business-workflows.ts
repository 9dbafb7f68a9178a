import {
  cancelPaymentSession,
  readPaymentSession,
  runPaymentSession,
  startPaymentSession,
  type ChildSessionOptions,
  type PaymentSessionInput,
  type SessionResult,
  type SessionState,
} from '../../workflows';

/** Workflows as a user of the package would write them. */

/** Takes a payment and waits for its end. */
export async function takesPayment(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<SessionResult> {
  return runPaymentSession(input, options);
}

/** Starts a payment, looks at it, and leaves it to itself. */
export async function startsPayment(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<SessionState> {
  const { key } = await startPaymentSession(input, options);
  return readPaymentSession(key, options);
}

/** Starts a payment and waits for its end, which a cancel of this workflow cuts short. */
export async function watchesPayment(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<SessionResult> {
  const payment = await startPaymentSession(input, options);
  return payment.result();
}

/** Cancels a payment that another workflow started. */
export async function cancelsPayment(key: string): Promise<void> {
  await cancelPaymentSession(key, { by: 'avery', reason: 'out of stock' });
}
