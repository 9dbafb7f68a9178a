export { PaymentSessions } from './payment-sessions';
export type { OpenedPaymentSession, PaymentSessionsOptions } from './payment-sessions';
export { PaymentSessionHandle } from './payment-session-handle';
export type { CancelOptions } from './payment-session-handle';
export { assertValidInput } from './start/input';
export { assertSameRequest, startOptionsOf } from './start/start-options';
export { SessionFailedError } from './session-errors';
export type { SessionFilter, SessionOutcome, SessionSummary } from './list/list-sessions';
export type { StartManyOptions, StartManyResult } from './start/start-many';
