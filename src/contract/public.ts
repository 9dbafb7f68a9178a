/**
 * `paysession/contract`: the payment service's contract for a checkout page or a small function. It loads no package and nothing of
 * Node, so it also runs in browsers.
 */
export { validateSessionRequest } from './validate-session-request';
export type { ValidationFailure, ValidationResult } from './validate-session-request';
export { PROVINCES } from './session-request';
export type { Address, Payee, Payor, SessionRequest } from './session-request';
export { SESSION_CODES, SESSION_STATUSES, isPaid } from './statuses';
export type { SessionCode, SessionKind, SessionStatus } from './statuses';
export { RETURN_REMEDIES, returnReason } from './return-codes';
export type { ReturnAdvice, ReturnReason } from './return-codes';
