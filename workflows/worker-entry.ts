import { defineWorkflowOptions } from '@temporalio/workflow';
import type { RawValue } from '@temporalio/common';
import { runSession } from './payment-session';
import type { SessionResult } from '../src/protocol/state/session';
import { decodeArguments, isContinued, RAW_ARGUMENTS } from './messages/arguments';
import { publishingFailure } from './record/published';
import type { SessionRecord } from './record/session-record';
import type { PaymentSessionInput } from '../src/protocol/input';

/**
 * The workflow function that workers register. The input may come from any SDK, so this function decodes it. If the
 * input cannot be decoded, the workflow fails with `INVALID_INPUT`. The only other argument that is used is the record
 * that a continue-as-new passes on.
 */
export function paymentSession(...args: RawValue[]): Promise<SessionResult> {
  return publishingFailure(() => {
    const [input, carried] = decodeArguments(args.slice(0, isContinued() ? 2 : 1));
    // The session checks the input's shape before it uses it.
    return runSession(input as PaymentSessionInput, carried as SessionRecord | undefined);
  });
}

defineWorkflowOptions(paymentSession, { staticOptions: { typeInfo: RAW_ARGUMENTS } });

/**
 * Ends at once. This workflow only occupies its workflow id, which is a claim of a session (see
 * `worker/one-payment-one-key.ts`).
 */
export function paymentSessionClaim(): Promise<void> {
  return Promise.resolve();
}
