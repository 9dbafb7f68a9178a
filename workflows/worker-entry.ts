import { defineWorkflowOptions } from '@temporalio/workflow';
import type { RawValue } from '@temporalio/common';
import { paymentSession as runPaymentSession } from './payment-session';
import type { SessionResult } from '../src/protocol/state/session';
import { decodeArguments, isContinued, RAW_ARGUMENTS } from './messages/arguments';
import { publishingFailure } from './record/published';
import type { SessionRecord } from './record/session-record';
import type { PaymentSessionInput } from '../src/protocol/input';

/**
 * The workflow as workers register it. Its input comes from any SDK, so it is decoded here: an input that cannot be
 * decoded fails the workflow with `INVALID_INPUT`. Further arguments are ignored, except the record that a continued run
 * gets.
 */
export async function paymentSession(...args: RawValue[]): Promise<SessionResult> {
  return publishingFailure(() => {
    const [input, carried] = decodeArguments(args.slice(0, isContinued() ? 2 : 1));
    // The session checks the input's shape before it uses it.
    return runPaymentSession(input as PaymentSessionInput, carried as SessionRecord | undefined);
  });
}

defineWorkflowOptions(paymentSession, { staticOptions: { typeInfo: RAW_ARGUMENTS } });

/** Ends at once. The workflow exists only to take its workflow id (`worker/one-payment-one-key.ts`). */
export function paymentSessionClaim(): Promise<void> {
  return Promise.resolve();
}
