export type { PaymentSessionInput } from '../src/protocol/input';
export { paymentSession } from './payment-session';
export {
  cancelPaymentSession,
  readPaymentSession,
  runPaymentSession,
  startPaymentSession,
  type OnChange,
} from './child-sessions';
export type { ChildSessionOptions, RunSessionOptions, StartedPaymentSession } from './child-sessions';
export { cancelSignal, stateHistoryQuery, stateQuery } from './messages/definitions';
export { DEFAULT_TASK_QUEUE, MESSAGES, WORKFLOW_TYPE } from '../src/protocol/names';
export type {
  Anomaly,
  CancelOutcome,
  Decision,
  Park,
  SessionPhase,
  StateHistoryEntry,
  Trouble,
} from '../src/protocol/state/recorded';
export type { PaidSession, SessionResult, SessionState, UnpaidSession } from '../src/protocol/state/session';
export type { SessionPolicy } from '../src/protocol/policy';
export type { Duration } from '../src/protocol/duration';
