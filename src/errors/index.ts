export { ERROR_CODES, isErrorCode, rowOf } from './codes';
export type { ErrorCodeRow } from './code-row';
export type { ErrorCode, ServiceErrorCode } from './codes';
export { explain, listFailures, withRemedy } from './explain';
export type { Explainable } from './explain';
export type { CallFailure, ServiceFailure, SessionFailure } from './failures';
export { PaysessionError, isPaysessionError } from './paysession-error';
export { toPortError } from './port-in-use';
export {
  InvalidRequestError,
  SessionConflictError,
  SessionNotFoundError,
  SettingsError,
} from './request-errors';
export { ServiceError } from './service-error';
