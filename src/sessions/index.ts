/** The one door of this folder. First what callers of the package get, */
export { PaymentSessions } from './payment-sessions';
export type { OpenedPaymentSession, PaymentSessionsOptions } from './payment-sessions';
export type { RefreshOptions } from './payment-session-handle';
export type { WaitOptions } from './calls/wait-options';
export { PaymentSessionHandle } from './payment-session-handle';
export type { DecisionOptions } from './decided-by';
export type { ReadableLedger } from './dropped-session';
export type { CancelOptions, ChangesOptions, StartWaitOptions } from './calls/waiting';
export { SessionFailedError } from './session-errors';
export type { SessionFilter } from './list/filter';
export type { SessionOutcome, SessionSummary } from './list/list-sessions';
export type { SessionEnd } from './start/key-holder';
export type { StartAnswer } from './start/taken-key';
export type { StartedSession, StartManyOptions, StartManyResult } from './start/start-many';

/** then what the console, workers, the command line and the testing kit share with it: starts, */
export { FINGERPRINT, fingerprintOf } from './start/prepare-start';
export { startOrJoin } from './start/taken-key';
export type { JoiningStartOptions } from './start/taken-key';

/** lists, */
export { conditionsOf, isIndexed, openSessionsOn } from './list/filter';
export { countSessions, sessionsPage, toIndexError, toSummary } from './list/list-sessions';
export type { PageOptions, PageStart, SessionPage } from './list/list-sessions';
export { searchSessions } from './list/search';

/** and calls to Temporal. */
export { callEngine, EngineTimeout, isTimeout, toPaysessionError, withTimeout } from './calls/engine-errors';
export { pollersOf, unservedBy, unservedQueue } from './calls/worker-check';
export type { Poller } from './calls/worker-check';
export type { UnservedQueue } from './calls/worker-versions';
export { readClaim } from './claim-of-run';
export { readNamespace } from './calls/namespace';
export type { TemporalNamespace } from './calls/namespace';
export { readClosed } from './start/key-holder';
export { readRecorded } from './dropped-session';
export { moneyOf, readClaims } from './session-money';
export type { RunOfMoney, SessionMoney, UnreadMoney } from './session-money';
export { soon } from './calls/soon';
export { readStoredInput } from './stored-input';
export { toMs } from './timestamps';
