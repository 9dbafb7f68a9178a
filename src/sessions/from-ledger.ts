/** Reads sessions from the ledger: the record of a session that Temporal has dropped, and the money that has moved for a session. */
import type { Client } from '@temporalio/client';
import type { SessionRequest } from '../contract';
import { isPaysessionError, SessionNotFoundError, withRemedy, type ErrorCode } from '../errors';
import type { LedgerEntry } from '../protocol/ledger/facts';
import { claimsOf, standingClaim, type KnownClaim } from '../protocol/ledger/fold';
import { recordedSession, type RecordedSession } from '../protocol/ledger/recorded-session';
import type { SessionResult } from '../protocol/state/session';
import { soon } from '../contract/values/soon';
import { callTemporal } from './calls/temporal-errors';
import { SessionFailedError } from './session-errors';

/** The part of a ledger that clients read. A `PaymentLedger` of `paysession/ledger` has it. */
export interface ReadableLedger {
  /** Returns a session's entries, oldest first; empty if the ledger does not know the key. */
  entriesOf(key: string): Promise<readonly LedgerEntry[]>;
}

/** A session's key, and the ledger that may have the session's record. */
export interface LedgerPlace {
  readonly key: string;
  readonly ledger: ReadableLedger | undefined;
  /** The client that made the call. If the call gets no answer, this client checks whether the Temporal server answers at all. */
  readonly client?: Client;
}

/**
 * Calls the Temporal server. If the server does not know the session, reads the ledger's record and passes it to `fromRecord`. Throws
 * the errors of `callTemporal`, the ledger and `fromRecord`.
 */
export async function callOrRead<T>(
  { key, ledger, client }: LedgerPlace,
  call: () => Promise<T>,
  fromRecord: (recorded: RecordedSession) => T,
): Promise<T> {
  try {
    return await callTemporal(key, call, client);
  } catch (error) {
    return fromRecord(await readDropped({ key, ledger }, error));
  }
}

/**
 * Returns the ledger's record of a session that the Temporal server does not know. Throws `error` itself if its code is not
 * `SESSION_NOT_FOUND`, or if there is no ledger. Throws `SESSION_NOT_FOUND` if the ledger does not know the session, and the ledger's
 * own errors.
 */
async function readDropped({ key, ledger }: LedgerPlace, error: unknown): Promise<RecordedSession> {
  if (ledger === undefined || !isPaysessionError(error, 'SESSION_NOT_FOUND')) throw error;
  const recorded = await readRecorded(ledger, key);
  if (recorded !== undefined) return recorded;
  const happened = `Neither the Temporal server nor the ledger knows a payment session with the key "${key}".`;
  throw new SessionNotFoundError(
    key,
    `${happened} Check the key, the namespace and the ledger’s environment.`,
  );
}

/** Reads the ledger's record of a session; `undefined` if the ledger does not know the key. Throws the ledger's errors. */
export async function readRecorded(
  ledger: ReadableLedger,
  key: string,
): Promise<RecordedSession | undefined> {
  return recordedSession(key, await ledger.entriesOf(key));
}

/** Returns the record unchanged. Throws `SessionFailedError` `SESSION_TERMINATED` if the record lacks the session's end. */
export function whole(recorded: RecordedSession): RecordedSession {
  const { outcome, state, stateHistory } = recorded;
  if (outcome !== 'open') return recorded;
  const code = 'SESSION_TERMINATED';
  const happened =
    'The Temporal server has dropped the session, and the ledger has no record of its end: no worker follows it.';
  const message = withRemedy(code, `${happened} Start it again with the same request to continue it.`);
  throw new SessionFailedError(state.key, { code, message }, state, stateHistory);
}

/**
 * Returns the recorded result. Throws `SessionFailedError` if the record lacks the session's end, or if the workflow failed. Throws
 * `SESSION_NOT_FOUND` if the result has been erased.
 */
export function resultOf(recorded: RecordedSession): SessionResult {
  const { result, state, stateHistory } = whole(recorded);
  const { key, failure } = state;
  if (failure !== undefined) throw new SessionFailedError(key, failure, state, stateHistory);
  if (result !== undefined) return result;
  const happened = `The result of the session "${key}" was erased from the ledger with its personal data.`;
  throw new SessionNotFoundError(key, `${happened} Its state still shows how it ended.`);
}

/** Throws the refusal of an action on a session that only the ledger knows. */
export function nothingToDo({ state: { key } }: RecordedSession): never {
  const happened = `The Temporal server has dropped the session "${key}"; the ledger has its record.`;
  throw new SessionNotFoundError(key, `${happened} Read its state, or start it again with the same request.`);
}

/** The money that has moved for one claim. A claim is the ledger's record that a key belongs to one workflow. */
export interface SessionMoney extends Pick<KnownClaim, 'settled' | 'returned' | 'handled'> {
  /** The number of the claim, from 1. Absent if the ledger has no such claim. */
  readonly claim?: number;
  /** The direction of the payment. Absent if the ledger has no such claim. */
  readonly direction?: SessionRequest['direction'];
}

/** The reason why the ledger could not be read. */
export interface UnreadMoney {
  readonly unread: ErrorCode;
}

/** The workflow run whose money a page shows. */
export interface RunWithMoney {
  /** Temporal's id of the workflow's first run. */
  readonly firstRunId: string;
  /** True if the run returned an earlier session of its key, which it found in the ledger, instead of opening its own. */
  readonly answered?: true | undefined;
}

/** The longest time that a page waits for the ledger. */
const CLAIMS_WITHIN_MS = 1_000;

/** Reads the claims of a key, within a second. Never throws, so that a page can show the session's state if the ledger fails. */
export async function readClaims(
  ledger: ReadableLedger,
  key: string,
): Promise<readonly KnownClaim[] | UnreadMoney> {
  try {
    const entries = await soon(ledger.entriesOf(key), CLAIMS_WITHIN_MS);
    return entries === undefined ? { unread: 'LEDGER_UNAVAILABLE' } : claimsOf(entries);
  } catch (error) {
    return { unread: isPaysessionError(error) ? error.code : 'LEDGER_UNAVAILABLE' };
  }
}

/**
 * Returns the money of a run's own claim. If `run` is absent, or if the run returned an earlier session of its key, returns the money of
 * the key's standing claim instead.
 */
export function moneyOf(claims: readonly KnownClaim[], run: RunWithMoney | undefined): SessionMoney {
  const isOfKey = run === undefined || run.answered === true;
  const claim = isOfKey
    ? standingClaim(claims)
    : claims.find(({ claimed }) => claimed.firstRunId === run.firstRunId);
  if (claim === undefined) return {};
  const { number, settled, returned, handled, claimed } = claim;
  const { direction } = claimed;
  return {
    claim: number,
    direction,
    ...(settled && { settled }),
    ...(returned && { returned }),
    ...(handled && { handled }),
  };
}
