export { PaymentSessions } from './payment-sessions';
export type { OpenedPaymentSession, PaymentSessionsOptions } from './payment-sessions';
export { PaymentSessionHandle } from './payment-session-handle';
export { SessionFailedError } from './session-errors';
export type { SessionFilter, SessionSummary } from './list-sessions';
export type { StartManyOptions, StartManyResult } from './start-many';
