/** Sessions that the Temporal server has dropped: the ledger tells of them. */
import type { Client } from '@temporalio/client';
import { isPaysessionError, SessionNotFoundError, withRemedy } from '../errors';
import type { LedgerEntry } from '../protocol/ledger/facts';
import { recordedSession, type RecordedSession } from '../protocol/ledger/recorded-session';
import type { SessionResult } from '../protocol/state/session';
import { callEngine } from './calls/engine-errors';
import { SessionFailedError } from './session-errors';

/** The ledger as it is read: a `PaymentLedger` of `paysession/ledger`. */
export interface ReadableLedger {
  /** A session's entries, the first first; empty where the ledger does not know the key. */
  entriesOf(key: string): Promise<readonly LedgerEntry[]>;
}

/** A session, and where else than at the Temporal server it may be known. */
export interface LedgerPlace {
  readonly key: string;
  readonly ledger: ReadableLedger | undefined;
  /** Asked whether the Temporal server answers, where a call got no answer. */
  readonly client?: Client;
}

/**
 * Asks the Temporal server, which is the authority as long as it knows the session, and else the ledger. Throws what `callEngine` and
 * the ledger throw.
 */
export async function callOrRead<T>(
  { key, ledger, client }: LedgerPlace,
  call: () => Promise<T>,
  fromRecord: (recorded: RecordedSession) => T,
): Promise<T> {
  try {
    return await callEngine(key, call, client);
  } catch (error) {
    return fromRecord(await readDropped({ key, ledger }, error));
  }
}

/** The ledger's record of a session that the Temporal server does not know. Throws any other error as it is. */
export async function readDropped({ key, ledger }: LedgerPlace, error: unknown): Promise<RecordedSession> {
  if (ledger === undefined || !isPaysessionError(error, 'SESSION_NOT_FOUND')) throw error;
  const recorded = await readRecorded(ledger, key);
  if (recorded !== undefined) return recorded;
  const happened = `Neither the Temporal server nor the ledger knows a payment session with the key "${key}".`;
  throw new SessionNotFoundError(
    key,
    `${happened} Check the key, the namespace and the ledger’s environment.`,
  );
}

/** What the ledger knows of a session; `undefined` where it does not know the key. Throws what the ledger throws. */
export async function readRecorded(
  ledger: ReadableLedger,
  key: string,
): Promise<RecordedSession | undefined> {
  return recordedSession(key, await ledger.entriesOf(key));
}

/** How a session stood at its end. Throws `SessionFailedError` `SESSION_TERMINATED` where its end is not known. */
export function whole(recorded: RecordedSession): RecordedSession {
  const { outcome, state, stateHistory } = recorded;
  if (outcome !== 'open') return recorded;
  const code = 'SESSION_TERMINATED';
  const happened =
    'The Temporal server has dropped the session, and no end of it stands in the ledger: nobody follows it.';
  const message = withRemedy(code, `${happened} Start it again with the same request to go on with it.`);
  throw new SessionFailedError(state.key, { code, message }, state, stateHistory);
}

/** The result, as `whole` has it. Throws `SessionFailedError` where its workflow failed, `SESSION_NOT_FOUND` where it has been erased. */
export function resultOf(recorded: RecordedSession): SessionResult {
  const { result, state, stateHistory } = whole(recorded);
  const { key, failure } = state;
  if (failure !== undefined) throw new SessionFailedError(key, failure, state, stateHistory);
  if (result !== undefined) return result;
  const happened = `The result of the session "${key}" was erased from the ledger with its personal data.`;
  throw new SessionNotFoundError(key, `${happened} Its state still tells how it ended.`);
}

/** Nothing can be done any more with a session that only the ledger knows. */
export function nothingToDo({ state: { key } }: RecordedSession): never {
  const happened = `The Temporal server has dropped the session "${key}"; the ledger has its record.`;
  throw new SessionNotFoundError(key, `${happened} Read its state, or start it again with the same request.`);
}
