export type { PaymentSessionInput } from '../protocol/input';
export { paymentSessionService, errorCodeOf } from './service';
export type { CancelAnswer, CancelRequest, PaymentSessionKey } from './service';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from '../protocol/state/session';
export type { ErrorCode } from '../errors/codes';
