export type { PaymentSessionInput } from './protocol/input';
export { PaymentSessions, PaymentSessionHandle, SessionFailedError } from './sessions';
export type {
  CancelOptions,
  ChangesOptions,
  OpenedPaymentSession,
  PaymentSessionsOptions,
  ReadableLedger,
  RefreshOptions,
  SessionFilter,
  SessionOutcome,
  SessionSummary,
  StartManyOptions,
  SessionEnd,
  StartAnswer,
  StartWaitOptions,
  StartedSession,
  StartManyResult,
  WaitOptions,
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
export type {
  ErrorCode,
  ErrorCodeRow,
  Explainable,
  ServiceErrorCode,
  ServiceFailure,
  SessionFailure,
} from './errors';
export { encryptedDataConverter } from './encryption';
export type { EncryptionKey, EncryptionKeys, EncryptionKeySource, EncryptionOptions } from './encryption';
export {
  PROVINCES,
  SESSION_CODES,
  SESSION_STATUSES,
  isSessionCode,
  isSessionStatus,
  sessionKind,
  validateSessionRequest,
} from './contract';
export type {
  ProblemDetails,
  ReportedCode,
  ReportedStatus,
  RequestRules,
  SessionCode,
  SessionKind,
  SessionRequest,
  SessionSnapshot,
  SessionStatus,
  ValidationFailure,
  ValidationResult,
} from './contract';
export type {
  Anomaly,
  CancelOutcome,
  CancelRecord,
  Decision,
  Park,
  SessionPhase,
  StateHistoryEntry,
  StateSource,
  Trouble,
} from './protocol/state/recorded';
export type {
  CancelReply,
  OpenedSession,
  PaidSession,
  RevealReply,
  SessionResult,
  SessionState,
  UnpaidSession,
} from './protocol/state/session';
export { PROBLEMS, problemsOf } from './protocol/state/problems';
export type { ProblematicState, ProblemRow, SessionProblem } from './protocol/state/problems';
export type {
  AdoptPreview,
  AdoptRefusal,
  AskedPayment,
  FoundPayment,
  PaymentDifference,
} from './protocol/adopt-preview';
export type { DecidedBy, ResolveCreate } from './protocol/decisions';
export { DEFAULT_TASK_QUEUE, SEARCH_ATTRIBUTES, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from './protocol/names';
export type { SessionPolicy } from './protocol/policy';
export type { Duration } from './protocol/duration';
