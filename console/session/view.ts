import type { temporal } from '@temporalio/proto';
import { isPaysessionError, type ErrorCode } from '../../src/errors';
import { workflowIdOf } from '../../src/protocol/names';
import { inputFailures, requestShapeFailures, type PaymentSessionInput } from '../../src/protocol/input';
import type { RecordedSession } from '../../src/protocol/ledger/recorded-session';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';
import type { SessionState } from '../../src/protocol/state/session';
import {
  EngineTimeout,
  isTimeout,
  toPaysessionError,
  withTimeout,
  toSummary,
  type RunOfMoney,
  type SessionMoney,
  type SessionSummary,
  moneyOf,
  readClaims,
  readRecorded,
  readStoredInput,
  soon,
  toMs,
} from '../../src/sessions';
import { standingOf, type Standing } from '../../src/protocol/state/standing';
import type { LedgerSession } from '../../ledger';
import type { ConsoleLedger, ConsoleOptions } from '../options';

/** The session's own answer; if its worker is lost, the last one. */
export interface KnownSession {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** The input that the engine keeps, or the code that says why it cannot be read here. */
export type StoredInput =
  | { readonly input: PaymentSessionInput }
  | { readonly unreadable: ErrorCode }
  /** The workflow was not started with the input of a session. */
  | { readonly unreadable: 'notAnInput' };

/** All that is known of a session at a moment. */
export interface SessionView {
  readonly key: string;
  readonly workflowId: string;
  /** The Temporal server's answer, without the session; absent until it answers. */
  readonly summary?: SessionSummary;
  readonly runId?: string;
  /** The first run of the same workflow, whose claim in the ledger is the session's. */
  readonly firstRunId?: string;
  readonly known?: KnownSession;
  /** Why the session has not answered this time. */
  readonly silence?: ErrorCode;
  readonly stored?: StoredInput;
  /** Only where the ledger alone knows the session: how it ended there; `open`, where no end is on record. */
  readonly record?: RecordedSession['outcome'];
  /** Only if the ledger alone knows the session: its entry in lists. */
  readonly listed?: LedgerSession;
  /** The session's money, by the ledger; absent without a ledger, and until it answers. */
  readonly money?: SessionMoney;
  /** Why the ledger has not told this time. */
  readonly moneyUnread?: ErrorCode;
  /** When the engine makes the next poll, where it is the engine that waits; ISO 8601, UTC. */
  readonly nextPollAt?: string;
}

/** Whom an answer is missing from. */
export function lostOf(silence: SessionView['silence']): 'engine' | 'worker' | undefined {
  if (silence === 'ENGINE_UNAVAILABLE') return 'engine';
  return silence === 'WORKER_UNAVAILABLE' ? 'worker' : undefined;
}

/** The reader learns within five seconds that the Temporal server or a worker does not answer, also of a killed worker. */
const ENGINE_TIMEOUT_MS = 2_000;
const SESSION_TIMEOUT_MS = 2_500;

type Places = Pick<ConsoleOptions, 'client' | 'sessions' | 'ledger'>;

/**
 * Reads a session, from the ledger where the engine has dropped it, and from the ledger what its money did. What `before` knew is kept
 * where nobody answers. Throws `SESSION_NOT_FOUND`, `ENGINE_REFUSED`, and what the ledger throws that alone knows the session.
 */
export async function readView(options: Places, key: string, before?: SessionView): Promise<SessionView> {
  return withMoney(options, key, before, readSession(options, key, before));
}

/** A session with what the ledger tells of its money now; of its silence, what was known before is kept. Both are read at once. */
export async function withMoney(
  { ledger }: Pick<Places, 'ledger'>,
  key: string,
  before: SessionView | undefined,
  reading: SessionView | Promise<SessionView>,
): Promise<SessionView> {
  const told = ledger === undefined ? undefined : readClaims(ledger, key);
  const [{ money: _money, moneyUnread: _unread, ...view }, now] = await Promise.all([reading, told]);
  if (now === undefined) return view;
  if (!('unread' in now)) return { ...view, money: moneyOf(now, runOf(view)) };
  const kept = before?.firstRunId === view.firstRunId ? before?.money : undefined;
  return { ...view, ...(kept && { money: kept }), moneyUnread: now.unread };
}

/** The run that the page shows; `undefined` where there is none, and the ledger alone tells of the key. */
const runOf = ({ firstRunId, summary }: SessionView): RunOfMoney | undefined =>
  firstRunId === undefined ? undefined : { firstRunId, answered: summary?.answered };

async function readSession(
  options: Places,
  key: string,
  before: SessionView | undefined,
): Promise<SessionView> {
  try {
    return await readFromEngine(options, key, before);
  } catch (error) {
    const { ledger } = options;
    const isDropped = ledger !== undefined && isPaysessionError(error, 'SESSION_NOT_FOUND');
    const [recorded, listed] = isDropped
      ? await Promise.all([readRecorded(ledger, key), listedIn(ledger, key)])
      : [];
    if (recorded === undefined) throw error;
    return viewOfRecord(key, recorded, listed);
  }
}

/** Reads a session's entry in lists. The page does without it if that fails. */
const listedIn = (ledger: ConsoleLedger, key: string): Promise<LedgerSession | undefined> =>
  ledger.payments.among([key]).then(
    (found) => found.get(key),
    () => undefined,
  );

function viewOfRecord(
  key: string,
  { outcome, state, stateHistory, request, account }: RecordedSession,
  listed: LedgerSession | undefined,
): SessionView {
  return {
    key,
    workflowId: workflowIdOf(key),
    record: outcome,
    known: { state, stateHistory },
    ...(listed && { listed }),
    ...(request !== undefined && { stored: { input: { key, request, account } } }),
  };
}

async function readFromEngine(
  options: Pick<ConsoleOptions, 'client' | 'sessions'>,
  key: string,
  before: SessionView | undefined,
): Promise<SessionView> {
  const workflowId = workflowIdOf(key);
  const {
    record: _record,
    listed: _listed,
    money: _money,
    moneyUnread: _unread,
    ...kept
  }: Partial<SessionView> = before ?? {};
  const base: SessionView = { ...kept, key, workflowId };
  const describeNow = () => orCode(() => describe(options, workflowId));
  const [first, heard] = await Promise.all([describeNow(), hear(options, key, before)]);
  // An engine that went between the two answers is what is lost.
  const described =
    heard.silence === 'WORKER_UNAVAILABLE' && !('code' in first) ? await describeNow() : first;
  if ('code' in described) return { ...base, silence: described.code };
  const { silence: _before, nextPollAt: _next, ...rest } = base;
  const isSameRun = before?.runId === described.runId;
  const stored = isSameRun && before?.stored ? before.stored : await readStored(options, workflowId);
  return { ...rest, ...described, ...heard, ...(stored && { stored }) };
}

type Described = Pick<SessionView, 'summary' | 'runId' | 'firstRunId' | 'nextPollAt'>;

/** One answer of the engine alone, with what a list says of the session. */
async function describe({ client }: Pick<ConsoleOptions, 'client'>, workflowId: string): Promise<Described> {
  const { workflowExecutionInfo, pendingActivities } = await withTimeout(client, ENGINE_TIMEOUT_MS, () =>
    client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId },
    }),
  );
  const info = workflowExecutionInfo ?? {};
  const runId = info.execution?.runId;
  const firstRunId = info.firstRunId || runId;
  const nextPollAt = nextAttemptOf(pendingActivities);
  return {
    summary: toSummary(info),
    ...(runId != null && { runId }),
    ...(firstRunId != null && { firstRunId }),
    ...(nextPollAt && { nextPollAt }),
  };
}

/** Polls that are far apart are attempts of one activity, between which no worker has the session. */
function nextAttemptOf(
  activities: readonly temporal.api.workflow.v1.IPendingActivityInfo[],
): string | undefined {
  const time = activities.find(
    ({ activityType }) => activityType?.name === 'followSession',
  )?.nextAttemptScheduleTime;
  return time == null ? undefined : new Date(toMs(time)).toISOString();
}

type Heard = Pick<SessionView, 'known' | 'silence'>;

/** Asks the session for its state, and returns the code that says why if it does not answer. */
async function hear(
  { sessions }: Pick<ConsoleOptions, 'sessions'>,
  key: string,
  before: SessionView | undefined,
): Promise<Heard> {
  const session = sessions.get(key);
  const ask = async (): Promise<KnownSession> => {
    const state = await session.state();
    const { revision } = state;
    const known = before?.known;
    const isKnown = known !== undefined && revision !== undefined && revision === known.state.revision;
    return { state, stateHistory: isKnown ? known.stateHistory : await session.stateHistory() };
  };
  const answer = await orCode(
    async () => (await soon(ask(), SESSION_TIMEOUT_MS)) ?? ({ code: 'WORKER_UNAVAILABLE' } as const),
  );
  return 'code' in answer ? { silence: answer.code } : { known: answer };
}

async function readStored(
  { client }: Pick<ConsoleOptions, 'client'>,
  workflowId: string,
): Promise<StoredInput | undefined> {
  const answer = await orCode(async () => {
    const input = await withTimeout(client, ENGINE_TIMEOUT_MS, () => readStoredInput(client, workflowId));
    // The workflow has refused anything else.
    const isInput = inputFailures(input, requestShapeFailures).length === 0;
    return input !== undefined && isInput ? { input } : ({ unreadable: 'notAnInput' } as const);
  });
  if (!('code' in answer)) return answer;
  // It is asked again.
  return answer.code === 'ENGINE_UNAVAILABLE' ? undefined : { unreadable: answer.code };
}

/** Codes that are the reader's to know, and none of the page's to go on from. */
const THROWN: readonly ErrorCode[] = ['SESSION_NOT_FOUND', 'ENGINE_REFUSED'];

/** A call's answer, or the code that says why there is none. */
async function orCode<T extends object>(call: () => Promise<T>): Promise<T | { readonly code: ErrorCode }> {
  try {
    return await call();
  } catch (error) {
    if (isTimeout(error) || error instanceof EngineTimeout) return { code: 'ENGINE_UNAVAILABLE' };
    const known = toPaysessionError('', error);
    if (!isPaysessionError(known) || THROWN.includes(known.code)) throw known;
    return { code: known.code };
  }
}

/** Returns where a session stands, by its own answer, else by Temporal's index. The ledger knows of its money. */
export function standingOfView({ known, summary, record, money }: SessionView): Standing {
  const returned = money?.returned !== undefined;
  if (summary?.outcome === 'terminated' || record === 'open')
    return standingOf({ outcome: 'terminated', returned });
  const isCurrent = known?.state.phase === 'ended' || summary?.running !== false;
  return standingOf({ ...((isCurrent ? known?.state : undefined) ?? summary), returned });
}
