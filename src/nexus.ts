import { operation, service } from 'nexus-rpc';
import type { CancelOutcome } from './protocol/state/recorded';
import type { SessionResult, SessionState } from './protocol/state/session';
import { isErrorCode, type ErrorCode } from './errors/codes';
import type { DecidedBy } from './protocol/decisions';
import type { PaymentSessionInput } from './protocol/input';

export type { PaymentSessionInput } from './protocol/input';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from './protocol/state/session';
export type { ErrorCode } from './errors/codes';

/** A payment session, named by its key. */
export interface PaymentSessionKey {
  /** The session's key: 1 to 200 characters. */
  readonly key: string;
}

/** The session to cancel, named by its key. The session keeps `by` and `reason` in its `decisions`. */
export interface CancelRequest extends PaymentSessionKey, DecidedBy {}

/** Answer of the operation `cancel`. */
export interface CancelAnswer {
  /** The outcome. `accepted`: the cancellation is recorded and will be carried out, but has no outcome yet. */
  readonly outcome: CancelOutcome | 'accepted';
  /** The session's state at the time of the answer. */
  readonly state: SessionState;
}

/**
 * Payment sessions for workflows of other namespaces, through a Nexus endpoint. Deterministic: workflows import it.
 *
 * A refused call throws a `NexusOperationFailure` whose cause is a `HandlerError` of type `BAD_REQUEST` or `NOT_FOUND`. The
 * `HandlerError`'s own cause is an `ApplicationFailure` whose type is an error code: {@link errorCodeOf} returns it. Temporal repeats
 * a call that is refused as `UNAVAILABLE`, until the operation's timeout.
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
   * Runs a session and answers with its result. Asynchronous: cancelling the operation cancels the session, and the answer
   * is still the session's own result. A second call of `run` with the same key, request and account attaches to the session. A call with
   * another request or account is refused with `SESSION_CONFLICT`. A session that has ended and certainly was never created is replaced. If
   * the session fails, the operation fails with an `ApplicationFailure` whose type is the error code.
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
