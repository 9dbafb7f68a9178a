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
export { RETURN_ADVICE, RETURN_REASONS, RETURN_REMEDIES, returnReason } from './return-codes';
export type { ReturnAdvice, ReturnReason, ReturnText, ReturnUrgency } from './return-codes';
export {
  SESSION_CODES,
  SESSION_STATUSES,
  awaitsSignature,
  isPaid,
  isSessionCode,
  isSessionStatus,
  isUnclear,
  sessionKind,
} from './statuses';
export type {
  KindSource,
  KnownState,
  ReportedCode,
  ReportedStatus,
  SessionCode,
  SessionKind,
  SessionStatus,
} from './statuses';
