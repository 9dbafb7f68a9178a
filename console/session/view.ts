import type { temporal } from '@temporalio/proto';
import { isPaysessionError, type ErrorCode } from '../../src/errors';
import { workflowIdOf } from '../../src/protocol/names';
import { inputFailures, requestShapeFailures, type PaymentSessionInput } from '../../src/protocol/input';
import type { RecordedSession } from '../../src/protocol/ledger/recorded-session';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';
import type { SessionState } from '../../src/protocol/state/session';
import {
  TemporalTimeout,
  isTimeout,
  toPaysessionError,
  withTimeout,
  toSummary,
  type RunWithMoney,
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
import type { WebhookDeliveriesOf } from '../../ledger/webhooks/deliveries';
import type { ConsoleLedger, ConsoleOptions } from '../options';

/**
 * The session's own answer. If the session does not answer now, this is its last answer. If only the ledger knows the session, this is the
 * ledger's record.
 */
export interface KnownSession {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/**
 * The session's input, or the reason why the input cannot be read here. The input comes from Temporal, or from the ledger if only the
 * ledger knows the session.
 */
export interface StoredInput {
  readonly input?: PaymentSessionInput;
  /** An error code. `notAnInput` if the workflow's input is not the input of a session. */
  readonly unreadable?: ErrorCode | 'notAnInput';
}

/** All that is known of a session at a moment. */
export interface SessionView {
  readonly key: string;
  readonly workflowId: string;
  /**
   * The Temporal server's own answer about the session. Absent until that server answers. Also absent if only the ledger knows the session.
   */
  readonly summary?: SessionSummary;
  readonly runId?: string;
  /** The id of the first run of the session's workflow. The session's claim in the ledger has this id. */
  readonly firstRunId?: string;
  readonly known?: KnownSession;
  /** The reason why the session did not answer this time. */
  readonly silence?: ErrorCode;
  readonly stored?: StoredInput;
  /** Present if only the ledger knows the session: the recorded end, or `open` if no end is recorded. */
  readonly record?: RecordedSession['outcome'];
  /** Present if only the ledger knows the session: its entry in the ledger's lists. */
  readonly listed?: LedgerSession;
  /**
   * The session's money in the ledger, and the time at which its key was claimed. Absent without a ledger, and until the ledger answers.
   */
  readonly money?: SessionMoney & { readonly claimedAt?: string };
  /** The reason why the ledger did not answer this time. */
  readonly moneyUnread?: ErrorCode;
  /** The deliveries of the session's webhooks. Absent without a ledger, and until the ledger answers. */
  readonly webhooks?: WebhookDeliveriesOf;
  /** The time of the next poll, if Temporal has planned one; ISO 8601, UTC. */
  readonly nextPollAt?: string;
}

/** Returns the part that does not answer: the Temporal server or the worker. */
export function lostPartOf(silence: SessionView['silence']): 'temporal' | 'worker' | undefined {
  if (silence === 'TEMPORAL_UNAVAILABLE') return 'temporal';
  return silence === 'WORKER_UNAVAILABLE' ? 'worker' : undefined;
}

/**
 * Returns the time at which the session started; ISO 8601, UTC. If the workflow has continued in a later run, the summary has only that
 * run's own start, so the ledger's time is used.
 */
export const startedAtOf = ({ summary, runId, firstRunId, money, listed }: SessionView): string | undefined =>
  (runId === firstRunId ? summary?.startedAt.toISOString() : money?.claimedAt) ?? listed?.claimedAt;

/** Time limits of the answers. They are short enough to report within five seconds that the Temporal server or a worker is lost. */
const TEMPORAL_TIMEOUT_MS = 2_000;
const SESSION_TIMEOUT_MS = 2_500;

type Places = Pick<ConsoleOptions, 'client' | 'sessions' | 'ledger'>;

/**
 * Reads a session from Temporal, and its money from the ledger. If Temporal has dropped the session, reads it from the ledger. Parts that
 * do not answer keep their values from `before`. Throws `SESSION_NOT_FOUND` and `TEMPORAL_REFUSED`. If Temporal does not know the session,
 * also throws the ledger's errors.
 */
export async function readView(options: Places, key: string, before?: SessionView): Promise<SessionView> {
  return withMoney(options, key, before, readSession(options, key, before));
}

/**
 * Adds the session's money and webhooks from the ledger. If the ledger does not answer, keeps the values from `before`. All reads run in
 * parallel.
 */
async function withMoney(
  { ledger }: Pick<Places, 'ledger'>,
  key: string,
  before: SessionView | undefined,
  reading: Promise<SessionView>,
): Promise<SessionView> {
  const ofLedger = ledger && Promise.all([readClaims(ledger, key), readWebhooks(ledger, key)]);
  const [{ money: _money, moneyUnread: _unread, webhooks: _webhooks, ...own }, read] = await Promise.all([
    reading,
    ofLedger,
  ]);
  if (read === undefined) return own;
  const [now, webhooks = before?.webhooks] = read;
  const view = { ...own, ...(webhooks && { webhooks }) };
  if (!('unread' in now)) {
    const claimedAt = now.find(({ claimed }) => claimed.firstRunId === view.firstRunId)?.claimed.at;
    return { ...view, money: { ...moneyOf(now, runOf(view)), ...(claimedAt && { claimedAt }) } };
  }
  const kept = before?.firstRunId === view.firstRunId ? before?.money : undefined;
  return { ...view, ...(kept && { money: kept }), moneyUnread: now.unread };
}

/** The time that a page waits for the webhooks. If they take longer, the page shows the session without them. */
const WEBHOOKS_WITHIN_MS = 1_000;

/** Reads the deliveries of the session's webhooks. If the read fails or takes longer than a second, the page keeps the earlier ones. */
const readWebhooks = ({ webhookDeliveries }: ConsoleLedger, key: string) =>
  soon(webhookDeliveries.of(key), WEBHOOKS_WITHIN_MS).catch(() => undefined);

/** Returns the workflow run that the page shows. Returns `undefined` if Temporal has no run or has never answered. */
const runOf = ({ firstRunId, summary }: SessionView): RunWithMoney | undefined =>
  firstRunId === undefined ? undefined : { firstRunId, answered: summary?.answered };

async function readSession(
  options: Places,
  key: string,
  before: SessionView | undefined,
): Promise<SessionView> {
  try {
    return await readFromTemporal(options, key, before);
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

/** Reads a session's entry in the ledger's lists. If the read fails, the page is shown without the entry. */
const listedIn = (ledger: ConsoleLedger, key: string): Promise<LedgerSession | undefined> =>
  ledger.payments.among([key]).then(
    (found) => found.get(key),
    () => undefined,
  );

function viewOfRecord(
  key: string,
  { outcome, state, stateHistory, request, metadata, account }: RecordedSession,
  listed: LedgerSession | undefined,
): SessionView {
  return {
    key,
    workflowId: workflowIdOf(key),
    record: outcome,
    known: { state, stateHistory },
    ...(listed && { listed }),
    ...(request !== undefined && {
      stored: { input: { key, request, account, ...(metadata && { metadata }) } },
    }),
  };
}

async function readFromTemporal(
  options: Pick<ConsoleOptions, 'client' | 'sessions'>,
  key: string,
  before: SessionView | undefined,
): Promise<SessionView> {
  const workflowId = workflowIdOf(key);
  const { record: _record, listed: _listed, ...kept }: Partial<SessionView> = before ?? {};
  const describeNow = () => orCode(() => describe(options, workflowId));
  const unknown = ({ code }: { readonly code: ErrorCode }) => ({ ...kept, key, workflowId, silence: code });
  const first = await describeNow();
  if ('code' in first) return unknown(first);
  // The key may belong to another workflow run now. Nothing that is known of an earlier run may be shown as part of the new one.
  const ofRun = before?.runId === first.runId ? before : undefined;
  // An ended session is not queried again, because the worker would have to replay it.
  if (ofRun !== undefined && isFinal(ofRun)) return { ...ofRun, ...first };
  const heard = await queryState(options, key, ofRun);
  // If the Temporal server was lost between the two calls, the second description fails, and that loss is reported.
  const described = heard.silence === 'WORKER_UNAVAILABLE' ? await describeNow() : first;
  if ('code' in described) return unknown(described);
  const stored = ofRun?.stored ?? (await readStored(options, workflowId));
  return {
    key,
    workflowId,
    ...(ofRun?.known && { known: ofRun.known }),
    ...described,
    ...heard,
    ...(stored && { stored }),
  };
}

/** True if nothing except the ledger's part can change any more, as long as the key gets no new workflow run. */
export function isFinal({ summary, known, silence, stored, moneyUnread }: SessionView): boolean {
  return (
    summary?.running === false &&
    known?.state.phase === 'ended' &&
    silence === undefined &&
    moneyUnread === undefined &&
    stored !== undefined
  );
}

type Described = Pick<SessionView, 'summary' | 'runId' | 'firstRunId' | 'nextPollAt'>;

/** Reads the facts that Temporal has without an answer of the session: the facts in lists, and the time of the next poll. */
async function describe({ client }: Pick<ConsoleOptions, 'client'>, workflowId: string): Promise<Described> {
  const { workflowExecutionInfo, pendingActivities } = await withTimeout(client, TEMPORAL_TIMEOUT_MS, () =>
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

/**
 * Returns the time of the next poll. If a session's polls are far apart, they are attempts of one activity. Between two attempts, no worker
 * keeps the session in memory, and Temporal knows the time of the next attempt.
 */
function nextAttemptOf(
  activities: readonly temporal.api.workflow.v1.IPendingActivityInfo[],
): string | undefined {
  const time = activities.find(
    ({ activityType }) => activityType?.name === 'followSession',
  )?.nextAttemptScheduleTime;
  return time == null ? undefined : new Date(toMs(time)).toISOString();
}

type Answered = Pick<SessionView, 'known' | 'silence'>;

/** Queries the session's state. If the session does not answer, returns the code of the reason. */
async function queryState(
  { sessions }: Pick<ConsoleOptions, 'sessions'>,
  key: string,
  before: SessionView | undefined,
): Promise<Answered> {
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
    const input = await withTimeout(client, TEMPORAL_TIMEOUT_MS, () => readStoredInput(client, workflowId));
    // Anything else is not the input of a session, and the workflow refuses it.
    const isInput = inputFailures(input, requestShapeFailures).length === 0;
    return input !== undefined && isInput ? { input } : ({ unreadable: 'notAnInput' } as const);
  });
  if (!('code' in answer)) return answer;
  // Temporal did not answer. The next read tries again.
  return answer.code.startsWith('TEMPORAL_') ? undefined : { unreadable: answer.code };
}

/** Errors that replace the session's page with an error page. */
const THROWN: readonly ErrorCode[] = ['SESSION_NOT_FOUND', 'TEMPORAL_REFUSED'];

/** Returns the answer of a call. If the call fails, returns the error code. */
async function orCode<T extends object>(call: () => Promise<T>): Promise<T | { readonly code: ErrorCode }> {
  try {
    return await call();
  } catch (error) {
    if (isTimeout(error) || error instanceof TemporalTimeout) return { code: 'TEMPORAL_UNAVAILABLE' };
    const known = toPaysessionError('', error);
    if (!isPaysessionError(known) || THROWN.includes(known.code)) throw known;
    return { code: known.code };
  }
}

/**
 * Returns a session's standing, its situation in a few words. The standing follows from the session's own answer, or else from Temporal's
 * index. The ledger adds whether money came back.
 */
export function standingOfView({ known, summary, record, money }: SessionView): Standing {
  const returned = money?.returned !== undefined;
  if (summary?.outcome === 'terminated' || record === 'open')
    return standingOf({ outcome: 'terminated', returned });
  const isCurrent = known?.state.phase === 'ended' || summary?.running !== false;
  return standingOf({ ...((isCurrent ? known?.state : undefined) ?? summary), returned });
}
