/** The ledger's knowledge of a session: its record after Temporal has dropped it, and the movements of its money. */
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

/** The ledger for reading: a `PaymentLedger` of `paysession/ledger`. */
export interface ReadableLedger {
  /** Returns a session's entries, oldest first; empty if the ledger does not know the key. */
  entriesOf(key: string): Promise<readonly LedgerEntry[]>;
}

/** A session's key, and the ledger that may have its record. */
export interface LedgerPlace {
  readonly key: string;
  readonly ledger: ReadableLedger | undefined;
  /** If a call gets no answer, this client checks whether the Temporal server answers. */
  readonly client?: Client;
}

/**
 * Calls the Temporal server, which is the authority as long as it knows the session. Otherwise reads the ledger. Throws the errors of
 * `callTemporal`, the ledger and `fromRecord`.
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
 * Returns the ledger's record of a session that the Temporal server does not know. Throws `error` unless it is `SESSION_NOT_FOUND` and
 * there is a ledger. Then throws the ledger's errors, and `SESSION_NOT_FOUND` if the ledger does not know the session either.
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

/** Returns the record. Throws `SessionFailedError` `SESSION_TERMINATED` if it lacks the session's end. */
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
 * Returns the result. Throws as `whole` does, `SessionFailedError` if the workflow failed, and `SESSION_NOT_FOUND` if the result
 * has been erased.
 */
export function resultOf(recorded: RecordedSession): SessionResult {
  const { result, state, stateHistory } = whole(recorded);
  const { key, failure } = state;
  if (failure !== undefined) throw new SessionFailedError(key, failure, state, stateHistory);
  if (result !== undefined) return result;
  const happened = `The result of the session "${key}" was erased from the ledger with its personal data.`;
  throw new SessionNotFoundError(key, `${happened} Its state still shows how it ended.`);
}

/** Refuses an action on a session that only the ledger knows. */
export function nothingToDo({ state: { key } }: RecordedSession): never {
  const happened = `The Temporal server has dropped the session "${key}"; the ledger has its record.`;
  throw new SessionNotFoundError(key, `${happened} Read its state, or start it again with the same request.`);
}

/** The money of one claim of a key. */
export interface SessionMoney extends Pick<KnownClaim, 'settled' | 'returned' | 'handled'> {
  /** The number of the claim; absent if the ledger has no such claim. */
  readonly claim?: number;
  /** The direction; absent if the ledger has no such claim. */
  readonly direction?: SessionRequest['direction'];
}

/** The reason why the ledger could not be read. */
export interface UnreadMoney {
  readonly unread: ErrorCode;
}

/** A run whose money is sought. */
export interface RunOfMoney {
  /** Temporal's id of the first run of its workflow. */
  readonly firstRunId: string;
  /** True if the ledger has answered the run with the session that had the key before. */
  readonly answered?: true | undefined;
}

/** A page that shows a session's state and its money waits for the ledger no longer than this. */
const CLAIMS_WITHIN_MS = 1_000;

/** Reads the claims of a key, within a second. Never throws: a page can still show the session's state without its money. */
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
 * Returns the money of a run's own claim. If `run` is absent, or the ledger has answered it, returns the money of the claim that answers
 * for the key.
 */
export function moneyOf(claims: readonly KnownClaim[], run: RunOfMoney | undefined): SessionMoney {
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
