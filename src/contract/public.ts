/**
 * The entry point `paysession/contract`: the payment service's contract, for a checkout page or a serverless function.
 * Loads no package and no Node module.
 */
export { validateSessionRequest } from './validate-session-request';
export type { ValidationFailure, ValidationResult } from './validate-session-request';
export { PROVINCES } from './session-request';
export type { Address, Payee, Payor, SessionRequest } from './session-request';
export { SESSION_CODES, SESSION_STATUSES, isPaid } from './statuses';
export type { SessionCode, SessionKind, SessionStatus } from './statuses';
export { RETURN_REMEDIES, returnReason } from './return-codes';
export type { ReturnAdvice, ReturnReason } from './return-codes';
