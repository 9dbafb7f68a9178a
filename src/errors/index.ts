export { ERROR_CODES, isErrorCode } from './codes';
export type { ErrorCode } from './codes';
export { PaysessionError, isPaysessionError } from './paysession-error';
export { toPortError } from './port-in-use';
export {
  InvalidRequestError,
  SessionConflictError,
  SessionNotFoundError,
  SettingsError,
  listFailures,
} from './request-errors';
export { ServiceError } from './service-error';
export type { ServiceErrorCode, ServiceFailure } from './service-error';
