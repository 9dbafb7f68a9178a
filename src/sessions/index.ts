export { PaymentSessions } from './payment-sessions';
export type { OpenedPaymentSession, PaymentSessionsOptions } from './payment-sessions';
export { PaymentSessionHandle } from './payment-session-handle';
export type { CancelOptions } from './payment-session-handle';
export { assertValidInput } from './input';
export { assertSameRequest, startOptionsOf } from './start-options';
export { SessionFailedError } from './session-errors';
export type { SessionFilter, SessionOutcome, SessionSummary } from './list-sessions';
export type { StartManyOptions, StartManyResult } from './start-many';
