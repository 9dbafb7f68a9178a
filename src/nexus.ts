import { operation, service } from 'nexus-rpc';
import type { CancelOutcome } from './protocol/state/recorded';
import type { SessionResult, SessionState } from './protocol/state/session';
import { isErrorCode, type ErrorCode } from './errors/codes';
import type { DecidedBy } from './protocol/decisions';
import type { PaymentSessionInput } from './protocol/input';

export type { PaymentSessionInput } from './protocol/input';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from './protocol/state/session';
export type { ErrorCode } from './errors/codes';

/** Names a payment session by its key. */
export interface PaymentSessionKey {
  /** The session's key: 1 to 200 characters. */
  readonly key: string;
}

/** Names the session to cancel. The session keeps the name and the reason in its `decisions`. */
export interface CancelRequest extends PaymentSessionKey, DecidedBy {}

/** Answer of the operation `cancel`. */
export interface CancelAnswer {
  /** The outcome. `accepted`: the payment service has not answered yet, and the cancellation will reach it. */
  readonly outcome: CancelOutcome | 'accepted';
  /** The session's state after the cancellation. */
  readonly state: SessionState;
}

/**
 * Payment sessions for workflows of other namespaces, through a Nexus endpoint. Deterministic: workflows import it.
 *
 * A refused call is a `NexusOperationFailure` whose cause is a `HandlerError` of type `BAD_REQUEST`, `NOT_FOUND` or `UNAVAILABLE`. The
 * cause of that is an `ApplicationFailure` whose type is an error code: {@link errorCodeOf} returns it.
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
   * Runs a session and answers with its end. Asynchronous: cancelling the operation cancels the session, and the answer
   * is its true end. Starting the same key and request attaches to the session; another request is refused as
   * `SESSION_CONFLICT`. A key starts again if its session was certainly never created. If no session could be created, the
   * operation fails with an `ApplicationFailure` whose type is the error code.
   */
  run: operation<PaymentSessionInput, SessionResult>(),
  /** Cancels a session that any caller has started, and answers with the outcome. */
  cancel: operation<CancelRequest, CancelAnswer>(),
  /** Returns a session's current state. */
  state: operation<PaymentSessionKey, SessionState>(),
});

/**
 * Returns the error code of a failed call, from the error or one of its causes; `undefined` if there is none.
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
