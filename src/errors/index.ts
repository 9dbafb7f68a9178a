export { ERROR_CODES, isErrorCode, rowOf } from './codes';
export type { ErrorCode, ErrorCodeRow, ServiceErrorCode } from './codes';
export { explain, listFailures, withRemedy } from './failures';
export type { CallFailure, Explainable, ServiceFailure, SessionFailure } from './failures';
export {
  InvalidRequestError,
  PaysessionError,
  ServiceError,
  SessionConflictError,
  SessionNotFoundError,
  SettingsError,
  faultOfSession,
  isPaysessionError,
  nameOf,
  toPortError,
} from './paysession-error';
export type { SessionFault } from './paysession-error';
