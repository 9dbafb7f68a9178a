/**
 * Everything that other folders import from `src/sessions`. First, the exports of the package's entry point and the types in their
 * signatures:
 */
export { PaymentSessions } from './payment-sessions';
export type { OpenedPaymentSession, PaymentSessionsOptions } from './payment-sessions';
export { PaymentSessionHandle } from './payment-session-handle';
export type { RefreshOptions } from './payment-session-handle';
export { SessionFailedError } from './session-errors';
export type { WaitOptions } from './calls/deadlines';
export type { CancelOptions, ChangesOptions, StartWaitOptions } from './calls/waiting';
export type { DecisionOptions } from './decisions';
export type { ReadableLedger } from './from-ledger';
export type { SessionFilter } from './list/filter';
export type { SessionOutcome, SessionSummary } from './list/list-sessions';
export type { StartedSession, StartManyOptions, StartManyResult } from './start/start';
export type { SessionEnd, StartAnswer } from './start/taken-key';

/** All following exports are only for the console, workers, the command line and the testing kit. To start sessions: */
export { FINGERPRINT, fingerprintOf } from './start/prepare-start';
export { startOrJoin } from './start/start';
export type { JoiningStartOptions } from './start/start';
export { readClosed } from './start/taken-key';
export { readClaim, readStoredInput } from './stored-start';

/** To list sessions: */
export { conditionsOf, isIndexed, openSessionsOn } from './list/filter';
export { countSessions, newestOpen, sessionsPage, toIndexError, toSummary } from './list/list-sessions';
export type { PageOptions, PageStart, SessionPage } from './list/list-sessions';
export { searchSessions } from './list/search';

/** To read the ledger's record of a session: */
export { moneyOf, readClaims, readRecorded } from './from-ledger';
export type { RunWithMoney, SessionMoney, UnreadMoney } from './from-ledger';

/** To check arguments from untyped code: */
export { refuseInvalid } from './session-errors';

/** To call Temporal: */
export { signalOfCall, TemporalTimeout, withTimeout } from './calls/deadlines';
export { soon } from '../contract/values/soon';
export { callTemporal, isGone, isTimeout, toPaysessionError } from './calls/temporal-errors';
export type { UnservedQueue } from './calls/temporal-errors';
export { pollersOf, unservedBy, unservedQueue } from './calls/workers';
export type { Poller } from './calls/workers';
export { readNamespace, toMs } from './temporal-values';
export type { TemporalNamespace } from './temporal-values';
