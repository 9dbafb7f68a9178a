import { ApplicationFailure, defineQuery, setHandler, sleep } from '@temporalio/workflow';
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

// Workflows as a user of the package writes them. Each runs, starts, reads or cancels a payment session.

/** Takes a payment, and waits for the result. */
export async function takesPayment(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<SessionResult> {
  return runPaymentSession(input, options);
}

/** The changes that `recordsChanges` received, and the end of its payment. */
export interface ReceivedChanges {
  readonly changes: readonly SessionState[];
  readonly result: SessionResult;
}

/** The changes that `recordsChanges` has received so far. */
export const changesQuery = defineQuery<readonly SessionState[]>('changes');

/** Takes a payment, and records each change half a second after it came. */
export async function recordsChanges(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<ReceivedChanges> {
  const changes: SessionState[] = [];
  setHandler(changesQuery, () => changes);
  const onChange = async (state: SessionState) => {
    await sleep(500);
    changes.push(state);
  };
  const result = await runPaymentSession(input, { ...options, onChange });
  return { changes, result };
}

/** Takes a payment, and throws when it receives the open session. */
export async function refusesChanges(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<SessionResult> {
  const onChange = ({ phase }: SessionState) => {
    if (phase === 'open') throw ApplicationFailure.nonRetryable('no payment is wanted', 'NOT_WANTED');
  };
  return runPaymentSession(input, { ...options, onChange });
}

/** Starts a payment, reads its state, and ends without waiting for the result. */
export async function startsPayment(
  input: PaymentSessionInput,
  options: ChildSessionOptions,
): Promise<SessionState> {
  const { key } = await startPaymentSession(input, options);
  return readPaymentSession(key, options);
}

/** Starts a payment, and waits for the result. Cancelling this workflow ends only the wait. */
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

/** Reads a payment that another workflow has started. */
export async function readsPayment(key: string, options: ChildSessionOptions): Promise<SessionState> {
  return readPaymentSession(key, options);
}
