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
export {
  awaitChangeUpdate,
  awaitOpenedUpdate,
  cancelAndWaitUpdate,
  cancelSignal,
  previewAdoptUpdate,
  recordRevealUpdate,
  refreshUpdate,
  resolveCreateUpdate,
  stateHistoryQuery,
  stateQuery,
} from './messages/definitions';
export {
  DEFAULT_TASK_QUEUE,
  MESSAGES,
  SEARCH_ATTRIBUTES,
  WORKFLOW_ID_PREFIX,
  WORKFLOW_TYPE,
} from '../src/protocol/names';
export type {
  Anomaly,
  CancelOutcome,
  CancelRecord,
  Decision,
  Park,
  SessionPhase,
  StateHistoryEntry,
  StateSource,
  Trouble,
} from '../src/protocol/state/recorded';
export type { SessionFailure } from '../src/errors/failures';
export type {
  CancelReply,
  OpenedSession,
  PaidSession,
  RevealReply,
  SessionResult,
  SessionState,
  UnpaidSession,
} from '../src/protocol/state/session';
export type {
  AdoptPreview,
  AdoptRefusal,
  AskedPayment,
  FoundPayment,
  PaymentDifference,
  PreviewAdopt,
} from '../src/protocol/adopt-preview';
export type { DecidedBy, ResolveCreate } from '../src/protocol/decisions';
export type { SessionPolicy } from '../src/protocol/policy';
export type { Duration } from '../src/protocol/duration';
