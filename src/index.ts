export type { PaymentSessionInput } from './protocol/input';
export { PaymentSessions, PaymentSessionHandle, SessionFailedError } from './sessions';
export type {
  OpenedPaymentSession,
  PaymentSessionsOptions,
  ReadableLedger,
  SessionFilter,
  SessionSummary,
  StartedSession,
} from './sessions';
export {
  ERROR_CODES,
  InvalidRequestError,
  PaysessionError,
  ServiceError,
  SessionConflictError,
  SessionNotFoundError,
  SettingsError,
  explain,
  isPaysessionError,
} from './errors';
export type { ErrorCode } from './errors';
export { encryptedDataConverter } from './encryption';
export type { EncryptionKeys, EncryptionOptions } from './encryption';
export { validateSessionRequest } from './contract';
export type { SessionCode, SessionRequest, SessionStatus, ValidationFailure } from './contract';
export type {
  Anomaly,
  CancelOutcome,
  Decision,
  Park,
  SessionPhase,
  StateHistoryEntry,
  Trouble,
} from './protocol/state/recorded';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from './protocol/state/session';
export { problemsOf } from './protocol/state/problems';
export type { SessionProblem } from './protocol/state/problems';
export type { AdoptPreview } from './protocol/adopt-preview';
export type { ResolveCreate } from './protocol/decisions';
export type { Metadata } from './protocol/metadata';
export type { SessionPolicy } from './protocol/policy';
export type { Duration } from './protocol/duration';
export { SEARCH_ATTRIBUTES } from './protocol/temporal/search-attributes';
