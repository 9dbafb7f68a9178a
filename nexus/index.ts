export type { PaymentSessionInput } from '../src/protocol/input';
export { paymentSessionService } from './service';
export type { CancelAnswer, CancelRequest, PaymentSessionKey } from './service';
export { errorCodeOf } from './error-code';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from '../src/protocol/state/session';
export type { ErrorCode } from '../src/errors/codes';
