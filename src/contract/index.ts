export { SESSION_CODES, SESSION_STATUSES, isSessionCode, isSessionStatus } from './statuses';
export type { ReportedCode, ReportedStatus, SessionCode, SessionStatus } from './statuses';
export { sessionKind } from './kinds';
export type { SessionKind } from './kinds';
export { awaitsSignature, isPaid, isUnclear } from './paid';
export type { KnownState } from './paid';
export { MAX_REQUEST_BYTES, PATHS, TOKEN_LIFETIME_S } from './paths';
export { decimalPlaces, MAXIMUM_AMOUNT, MINIMUM_AMOUNT } from './money';
export { PROVINCES, sessionRequestSchema } from './session-request';
export type { Address, PayeeAccount, Payor, SessionRequest } from './session-request';
export { validateSessionRequest } from './validate-session-request';
export type { RequestRules, ValidationFailure, ValidationResult } from './validate-session-request';
export {
  createdSessionSchema,
  problemDetailsSchema,
  sessionDetailsSchema,
  sessionOutcomeSchema,
  sessionStatusSchema,
  tokenResponseSchema,
} from './responses';
export type { ProblemDetails, SessionDetails, SessionOutcome, SessionStatusReply } from './responses';
export { isAboutAnother, readCreated, readIdentity, readProblem, readSnapshot, readToken } from './reading';
export { expectedSession, isAnotherPayment, isNews, withKnownCode } from './snapshot';
export type { ExpectedSession, SessionIdentity, SessionSnapshot } from './snapshot';
export { isNestedTooDeeply, isTooDeep, MAX_JSON_DEPTH } from './nesting';
export { isSameSession, isSessionId } from './session-id';
