import { operation, service } from 'nexus-rpc';
import type { CancelOutcome } from './protocol/state/recorded';
import type { SessionResult, SessionState } from './protocol/state/session';
import { isErrorCode, type ErrorCode } from './errors/codes';
import type { DecidedBy } from './protocol/decisions';
import type { PaymentSessionInput } from './protocol/input';

export type { PaymentSessionInput } from './protocol/input';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from './protocol/state/session';
export type { ErrorCode } from './errors/codes';

/** The argument that names a payment session by its key. */
export interface PaymentSessionKey {
  /** The session's key: 1 to 200 characters. */
  readonly key: string;
}

/** The session to cancel, named by its key. The session records `by` and `reason` in its `decisions`. */
export interface CancelRequest extends PaymentSessionKey, DecidedBy {}

/** Answer of the operation `cancel`. */
export interface CancelAnswer {
  /** The outcome. `accepted` means that the cancellation is recorded and will be carried out, but has no outcome yet. */
  readonly outcome: CancelOutcome | 'accepted';
  /** The session's state at the time of the answer. */
  readonly state: SessionState;
}

/**
 * The Nexus service by which workflows of other namespaces run payment sessions. Safe to import in workflow code.
 *
 * A refused call throws a `NexusOperationFailure`. Its cause is a `HandlerError` of type `BAD_REQUEST` or `NOT_FOUND`, whose cause is an
 * `ApplicationFailure` with the error code as its type. {@link errorCodeOf} finds this code. If a call is refused as `UNAVAILABLE`,
 * Temporal repeats the call until the operation's timeout.
 *
 * @example
 * ```ts
 * import { createNexusServiceClient } from '@temporalio/workflow';
 * const payments = createNexusServiceClient({ service: paymentSessionService, endpoint: 'payments' });
 * const run = { key: 'order-1042', request };
 * const { paid } = await payments.executeOperation('run', run, { scheduleToCloseTimeout: '30d' });
 * ```
 */
export const paymentSessionService = service('paysession', {
  /**
   * Runs a session and answers with its result. The operation is asynchronous. If the operation is cancelled, the session is cancelled, and
   * the answer is still the session's result.
   *
   * A second call with the same key, request and account attaches to the existing session. A call with another request or account is
   * refused with `SESSION_CONFLICT`. A session that has ended and was certainly never created at the payment service is replaced.
   *
   * If the session fails, the operation fails with an `ApplicationFailure` whose type is the error code.
   */
  run: operation<PaymentSessionInput, SessionResult>(),
  /** Cancels a session, even if another caller started it. Answers with the outcome. */
  cancel: operation<CancelRequest, CancelAnswer>(),
  /** Returns a session's current state. */
  state: operation<PaymentSessionKey, SessionState>(),
});

/**
 * Returns the error code of a failed call. Searches the error and its causes; `undefined` if none of them has an error code.
 *
 * @example
 * ```ts
 * if (errorCodeOf(error) === 'SESSION_CONFLICT') console.error('The key belongs to another request.');
 * ```
 */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { type } = inner as { type?: unknown };
    if (typeof type === 'string' && isErrorCode(type)) return type;
  }
  return undefined;
}
