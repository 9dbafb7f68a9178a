export { paymentSession } from './payment-session';
export {
  cancelPaymentSession,
  readPaymentSession,
  runPaymentSession,
  startPaymentSession,
} from './child-sessions';
export type { ChildSessionOptions, StartedPaymentSession } from './child-sessions';
export {
  awaitOpenedUpdate,
  cancelAndWaitUpdate,
  cancelSignal,
  refreshUpdate,
  resolveCreateUpdate,
  stateHistoryQuery,
  stateQuery,
} from './messages';
export {
  DEFAULT_TASK_QUEUE,
  MESSAGES,
  SEARCH_ATTRIBUTES,
  WORKFLOW_ID_PREFIX,
  WORKFLOW_TYPE,
} from './protocol';
export type {
  Anomaly,
  CancelOutcome,
  CancelRecord,
  CancelReply,
  DecidedBy,
  Decision,
  OpenedSession,
  PaidSession,
  PaymentSessionInput,
  ResolveCreate,
  SessionFailure,
  SessionPhase,
  SessionResult,
  SessionState,
  StateHistoryEntry,
  StateSource,
  Trouble,
  UnpaidSession,
} from './protocol';
export type { SessionPolicy } from './policy';
export type { Duration } from '../src/protocol/duration';
