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
  KnownState,
  ReportedCode,
  ReportedStatus,
  SessionCode,
  SessionKind,
  SessionSnapshot,
  SessionStatus,
} from './statuses';
export {
  isAnotherPayment,
  isEchoOf,
  isLikeReference,
  isSameReference,
  isSameSession,
  isSessionId,
  sessionIdentity,
  shortSessionId,
  trimmedReference,
} from './identity';
export type { ExpectedSession, SessionIdentity } from './identity';
export { isChange } from './reports';
export type { KnownReports } from './reports';
export { PROVINCES } from './session-request';
export type { Address, PayeeAccount, Payor, SessionRequest } from './session-request';
export { validateAsService, validateSessionRequest } from './validate-session-request';
export type { RequestRules, ValidationFailure, ValidationResult } from './validate-session-request';
export { MAX_REQUEST_BYTES, PATH_TEMPLATES, PATHS, TOKEN_LIFETIME_S } from './service-api';
export type { ProblemDetails } from './service-api';
export { isNestedTooDeeply, MAX_JSON_DEPTH } from './values/json';
export { decimalPlaces, MINIMUM_AMOUNT } from './values/money';
