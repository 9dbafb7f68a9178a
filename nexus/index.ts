export { paymentSessionService } from './service';
export type { CancelAnswer, PaymentSessionKey } from './service';
export { errorCodeOf } from './error-code';
export type { PaymentSessionInput, SessionResult, SessionState } from '../workflows/protocol';
export type { ErrorCode } from '../src/errors/codes';
