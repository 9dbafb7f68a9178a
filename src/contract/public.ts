/**
 * `paysession/contract`: what a checkout page or a small function needs of the payment service's contract. It loads no package
 * and nothing of Node, so it runs in browsers too.
 */
export { validateSessionRequest } from './validate-session-request';
export type { RequestRules, ValidationFailure, ValidationResult } from './validate-session-request';
export { PROVINCES } from './session-request';
export type {
  Address,
  AmountLimits,
  NotificationPreferences,
  Payee,
  PayeeAccount,
  Payor,
  RedirectPreferences,
  SessionRequest,
  SessionRequestFields,
  SessionRequestOptions,
} from './session-request';
export { sessionKind } from './kinds';
export type { KindSource, SessionKind } from './kinds';
export { awaitsSignature, isPaid, isUnclear } from './paid';
export type { KnownState } from './paid';
export { SESSION_CODES, SESSION_STATUSES, isSessionCode, isSessionStatus } from './statuses';
export type { ReportedCode, ReportedStatus, SessionCode, SessionStatus } from './statuses';
