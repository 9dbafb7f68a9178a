import { isGrpcServiceError, type Client } from '@temporalio/client';
import { faultOfSession, type SessionFault } from '../src/errors';
import type { LedgerClaim, LedgerFact } from '../src/protocol/ledger/facts';
import { isBeforeCreate } from '../src/protocol/ledger/fold';
import { endFacts, knownFacts, type ToldEnd } from '../src/protocol/ledger/session-facts';
import { keyOfWorkflow, MESSAGES } from '../src/protocol/names';
import type { StateHistoryEntry } from '../src/protocol/state/recorded';
import type { SessionState } from '../src/protocol/state/session';
import {
  conditionsOf,
  isGone,
  readClaim,
  readClosed,
  readNamespace,
  toMs,
  withTimeout,
} from '../src/sessions';
import type { LedgerEndOf, PaymentLedger } from './payment-ledger';
import type { Closed } from '../src/protocol/state/ended';

/**
 * A sweep of the ledger: compares the ended sessions that Temporal still has with the ledger, and records what the ledger lacks.
 */

/** Options of {@link sweepLedger}. */
export interface SweepOptions {
  /** A client of the Temporal namespace whose sessions the ledger keeps. */
  readonly client: Client;
  /** The ledger to complete. */
  readonly ledger: PaymentLedger;
  /** Checks only sessions that ended at this time or later. @default all sessions that Temporal still has */
  readonly endedAfter?: Date | undefined;
}

/** A session that a sweep has checked. */
export interface SweptSession {
  /** The session's key. */
  readonly key: string;
  /** The time at which the session's workflow ended. */
  readonly endedAt: Date;
  /** The number of missing entries that the sweep has added. */
  readonly added: number;
  /**
   * The reason why nothing was recorded. `unreadable`: the data cannot be decrypted, or the workflow was terminated and no worker answers a
   * query about it. `followed`: the payment service's session already belongs to another key. `tampered`: the session's entries or its
   * encryption key were changed in the ledger.
   */
  readonly left?: SessionFault;
}

/** The maximum number of sessions on one page. */
const PAGE = 200;
/** The number of events to read from the end of a history. They include the workflow's last step and its result. */
const LAST_EVENTS = 30;
/** The time limit for a worker's answer about a terminated workflow. */
const ANSWERED_WITHIN_MS = 10_000;

/**
 * Compares ended sessions with the ledger, and records the missing entries. Entries are missing if the ledger did not answer, or if the session
 * started before the ledger was in use. Yields each session that was checked.
 *
 * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` and the other errors of {@link PaymentLedger}
 * @throws {@link SettingsError} `INVALID_SETTINGS` if the namespace's workers use other environments of the ledger and not this one
 * @throws the errors of the Temporal client
 *
 * @example
 * ```ts
 * for await (const { key, added, left } of sweepLedger({ client, ledger }))
 *   if (added > 0 || left !== undefined) console.log(key, added, left);
 * ```
 */
export async function* sweepLedger(options: SweepOptions): AsyncGenerator<SweptSession> {
  const { client, ledger, endedAfter } = options;
  const filter = { running: false, ...(endedAfter !== undefined && { endedAfter }) };
  const query = conditionsOf(filter).join(' AND ');
  const { namespace } = client.options;
  await ledger.namespaces.refuseElsewhere(await readNamespace(client, namespace));
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    // This is the raw call of Temporal's API. The client's own `list` would decrypt each memo, and fail at a memo whose key is missing.
    const page = await client.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: PAGE,
      nextPageToken,
    });
    yield* sweepPage(options, page.executions.flatMap(toRun));
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
}

/** An ended run of a session's workflow. A key has several runs if its workflow was reset, or if a later workflow started with the same key. */
interface Run {
  readonly key: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly closeTime: Date;
}

type RawRun = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

function toRun({ execution, closeTime }: RawRun): readonly Run[] {
  const { workflowId, runId } = execution ?? {};
  // If the workflow's id is not that of a session, the workflow was refused before it did anything.
  const key = keyOfWorkflow(workflowId ?? '');
  if (!workflowId || !runId || key === undefined || closeTime == null) return [];
  return [{ key, workflowId, runId, closeTime: new Date(toMs(closeTime)) }];
}

async function* sweepPage(
  { client, ledger }: SweepOptions,
  runs: readonly Run[],
): AsyncGenerator<SweptSession> {
  const ends = await ledger.endsAmong([...new Set(runs.map(({ key }) => key))]);
  // Runs are sorted by their ends. So the runs of a key are recorded in the order in which they had the key.
  for (const run of runs.toSorted((one, other) => one.closeTime.getTime() - other.closeTime.getTime())) {
    const { key, closeTime: endedAt } = run;
    const ended = await readEnded(client, run, ends).catch(unlessAway);
    if (ended === 'unreadable') yield { key, endedAt, added: 0, left: ended };
    else if (ended === undefined) yield { key, endedAt, added: 0 };
    else yield { key, endedAt, ...(await recorded(ledger, ended)) };
  }
}

async function recorded(
  ledger: PaymentLedger,
  { claim, facts }: EndedSession,
): Promise<Omit<SweptSession, 'key' | 'endedAt'>> {
  try {
    return { added: await ledger.recordEnded(claim, facts) };
  } catch (error) {
    const left = faultOfSession(error);
    if (left === undefined) throw error;
    return { added: 0, left };
  }
}

/**
 * Converts an error of reading a session. Returns `undefined` if Temporal has deleted the session, and `unreadable` for an error that is not a
 * gRPC error. Throws all other gRPC errors.
 */
function unlessAway(error: unknown): 'unreadable' | undefined {
  if (isGone(error)) return undefined;
  if (isGrpcServiceError(error)) throw error;
  return 'unreadable';
}

/** The claim and the facts of an ended session, as Temporal has them. */
interface EndedSession {
  readonly claim: LedgerClaim;
  readonly facts: readonly LedgerFact[];
}

/**
 * Reads an ended session from Temporal. Returns `undefined` if there is nothing to record: the ledger already has the session's end, the workflow
 * has refused its input, or the workflow was terminated before it did anything.
 */
async function readEnded(
  client: Client,
  run: Run,
  ends: readonly LedgerEndOf[],
): Promise<EndedSession | undefined> {
  const { key, workflowId, runId, closeTime } = run;
  const { atMs: lastStepAt, isFirst } = await lastStepOf(client, run);
  // The ledger records an end with the time of the workflow's last step. If that step was repeated since, the end has another time.
  if (ends.some((end) => end.key === key && end.at.getTime() === lastStepAt)) return undefined;
  const newest = await client.workflow.getHandle(workflowId).describe();
  const isNewest = newest.runId === runId;
  const { raw } = isNewest ? newest : await client.workflow.getHandle(workflowId, runId).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? runId;
  const claim = await readClaim(client, { key, firstRunId }, runId);
  if (claim === undefined) return undefined;
  const closed = await readClosed(client, workflowId, runId);
  if ('failure' in closed && closed.failure === 'INVALID_INPUT') return undefined;
  const at = new Date(lastStepAt ?? closeTime.getTime()).toISOString();
  const end = endOf(claim, closed);
  if (end === undefined && isFirst) return undefined;
  const facts = end === undefined ? knownFacts(await readTerminated(client, run), at) : endFacts(end, at);
  // If a later run belongs to the same workflow, this run was reset, and its end does not count.
  const wasReset = !isNewest && newest.raw.workflowExecutionInfo?.firstRunId === firstRunId;
  return { claim, facts: wasReset ? facts.filter(isKept) : facts };
}

/** True if a fact is still true after a reset of its run. A reset undoes the end of the run, and a cancellation. */
const isKept = (fact: LedgerFact): boolean =>
  fact.kind !== 'ended' && fact.kind !== 'cancel' && !(fact.kind === 'state' && isBeforeCreate(fact));

/** A workflow's last step. */
interface LastStep {
  /** The time of the step, in milliseconds since 1970. Absent if no worker has started a step. */
  readonly atMs?: number;
  /** True if no worker has completed a step of this run, and the run does not continue an earlier run. */
  readonly isFirst: boolean;
}

async function lastStepOf(client: Client, { workflowId, runId }: Run): Promise<LastStep> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: LAST_EVENTS,
  });
  const events = history?.events ?? [];
  const step = events.find((event) => event.workflowTaskStartedEventAttributes != null);
  const begun = events.find((event) => event.workflowExecutionStartedEventAttributes != null);
  // If a run continues an earlier one, it has that run's record of the session.
  const isNew = begun?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId === '';
  const isCompleted = events.some((event) => event.workflowTaskCompletedEventAttributes != null);
  return {
    isFirst: isNew && !isCompleted,
    ...(step?.eventTime != null && { atMs: toMs(step.eventTime) }),
  };
}

/** Queries the last state of a terminated workflow. A worker must answer the query. The end of the session itself stays unknown. */
async function readTerminated(client: Client, { workflowId, runId }: Run) {
  const session = client.workflow.getHandle(workflowId, runId);
  try {
    return await withTimeout(client, ANSWERED_WITHIN_MS, async () => ({
      ...(await session.query<SessionState>(MESSAGES.state)),
      stateHistory: await session.query<readonly StateHistoryEntry[]>(MESSAGES.stateHistory),
    }));
  } catch (cause) {
    // A gRPC error would count as an outage of the Temporal server and end the sweep. So another error is thrown.
    throw new Error('no worker answers for the terminated workflow', { cause });
  }
}

/** Returns the end of a workflow. Returns `undefined` if there is no result and no failure of a session, for instance after a termination. */
function endOf({ key, firstRunId }: LedgerClaim, closed: Closed): ToldEnd | undefined {
  if ('result' in closed) return { key, firstRunId, result: closed.result };
  const { failure, details } = closed;
  return failure === undefined || details === undefined
    ? undefined
    : { key, firstRunId, failure, ...details };
}
