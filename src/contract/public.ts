/**
 * `paysession/contract`: what a checkout page or a small function needs of the payment service's contract. It loads no package
 * and nothing of Node, so it runs in browsers too.
 */
export { validateSessionRequest } from './validate-session-request';
export type { RequestRules, ValidationFailure, ValidationResult } from './validate-session-request';
export { PROVINCES } from './session-request';
export type { Address, Payee, Payor, SessionRequest } from './session-request';
export { SESSION_CODES, SESSION_STATUSES, isPaid } from './statuses';
export type { SessionCode, SessionKind, SessionStatus } from './statuses';
