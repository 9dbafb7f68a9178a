export { paymentSessionService } from './service';
export type { CancelAnswer, PaymentSessionKey } from './service';
export { errorCodeOf } from './error-code';
export type {
  PaidSession,
  PaymentSessionInput,
  SessionResult,
  SessionState,
  UnpaidSession,
} from '../workflows/protocol';
export type { ErrorCode } from '../src/errors/codes';
