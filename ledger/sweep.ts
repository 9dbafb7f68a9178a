import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { faultOfSession, type SessionFault } from '../src/errors';
import type { LedgerClaim, LedgerFact } from '../src/protocol/ledger/facts';
import { isBeforeCreate } from '../src/protocol/ledger/fold';
import { endFacts, knownFacts, type ToldEnd } from '../src/protocol/ledger/session-facts';
import { keyOfWorkflow, MESSAGES } from '../src/protocol/names';
import type { StateHistoryEntry } from '../src/protocol/state/recorded';
import type { SessionState } from '../src/protocol/state/session';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { conditionsOf, readClaim, readClosed, readNamespace, toMs, withTimeout } from '../src/sessions';
import type { LedgerEndOf, PaymentLedger } from './payment-ledger';
import type { Closed } from '../src/protocol/state/ended';

/** Options of {@link sweepLedger}. */
export interface SweepOptions {
  /** A client of the Temporal namespace whose sessions the ledger keeps. */
  readonly client: Client;
  /** The ledger to complete. */
  readonly ledger: PaymentLedger;
  /** Sweeps only sessions that ended at this time or later. @default all that Temporal still keeps */
  readonly endedAfter?: Date | undefined;
}

/** A session that a sweep has checked. */
export interface SweptSession {
  /** The session's key. */
  readonly key: string;
  /** The end of its workflow. */
  readonly endedAt: Date;
  /** The number of missing entries that the sweep has added. */
  readonly added: number;
  /**
   * The reason why nothing was recorded. `unreadable`: the data cannot be decrypted, or the workflow was terminated and no worker answers for it.
   * `followed`: another key's claim has the session. `tampered`: the session's entries, or its own key, were changed in the ledger.
   */
  readonly left?: SessionFault;
}

/** The maximum number of sessions on one page. */
const PAGE = 200;
/** The number of events at the end of a history that hold the workflow's last step and its results. */
const LAST_EVENTS = 30;
/** The time limit for a worker's answer about a terminated workflow. */
const ANSWERED_WITHIN_MS = 10_000;

/**
 * Compares ended sessions with the ledger and records the missing entries: those of an outage of the ledger, and those of sessions from before
 * the ledger was in use. Yields each session that was checked.
 *
 * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` and the other errors of {@link PaymentLedger}
 * @throws {@link SettingsError} `INVALID_SETTINGS` if the namespace's workers record in other environments of the ledger and not in this one
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
    // Uses the raw call, since the client would decrypt each memo: a memo whose key is missing would end the list.
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

/** An ended run of a session's workflow. A key has several runs if an earlier workflow left the key free, or if the workflow was reset. */
interface Run {
  readonly key: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly closeTime: Date;
}

type RawRun = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

function toRun({ execution, closeTime }: RawRun): readonly Run[] {
  const { workflowId, runId } = execution ?? {};
  // A workflow under another id was refused before it did anything.
  const key = keyOfWorkflow(workflowId ?? '');
  if (!workflowId || !runId || key === undefined || closeTime == null) return [];
  return [{ key, workflowId, runId, closeTime: new Date(toMs(closeTime)) }];
}

async function* sweepPage(
  { client, ledger }: SweepOptions,
  runs: readonly Run[],
): AsyncGenerator<SweptSession> {
  const ends = await ledger.endsAmong([...new Set(runs.map(({ key }) => key))]);
  // The runs of a key come in the order in which they had the key.
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

/** Returns `unreadable` for a session that cannot be read, and `undefined` for one that is gone. Throws all other gRPC errors. */
function unlessAway(error: unknown): 'unreadable' | undefined {
  if (error instanceof WorkflowNotFoundError || grpcAnswerOf(error)?.code === GRPC.NOT_FOUND)
    return undefined;
  if (isGrpcServiceError(error)) throw error;
  return 'unreadable';
}

/** An ended session as Temporal has it. */
interface EndedSession {
  readonly claim: LedgerClaim;
  readonly facts: readonly LedgerFact[];
}

/**
 * Reads an ended session. Returns `undefined` if the ledger has its end, or the workflow has refused its input, or was terminated before it did
 * anything.
 */
async function readEnded(
  client: Client,
  run: Run,
  ends: readonly LedgerEndOf[],
): Promise<EndedSession | undefined> {
  const { key, workflowId, runId, closeTime } = run;
  const { atMs: lastStepAt, isFirst } = await lastStepOf(client, run);
  // An end is recorded with the time of the workflow's last step. A step that is repeated, after a refusal or a reset, has another time.
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
  // The workflow goes on, or has gone on, in another run: the end of a run that was reset does not count.
  const wasReset = !isNewest && newest.raw.workflowExecutionInfo?.firstRunId === firstRunId;
  return { claim, facts: wasReset ? facts.filter(isKept) : facts };
}

/** True for a fact that a reset leaves as it was. A reset undoes the end of a run, and a cancellation. */
const isKept = (fact: LedgerFact): boolean =>
  fact.kind !== 'ended' && fact.kind !== 'cancel' && !(fact.kind === 'state' && isBeforeCreate(fact));

/** A workflow's last step. */
interface LastStep {
  /** In milliseconds since 1970; absent if no worker has taken a step. */
  readonly atMs?: number;
  /** True if no worker has completed a step of this run, and the run continues no other. */
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
  // A run that continues another one has the record of that run.
  const isNew = begun?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId === '';
  const isCompleted = events.some((event) => event.workflowTaskCompletedEventAttributes != null);
  return {
    isFirst: isNew && !isCompleted,
    ...(step?.eventTime != null && { atMs: toMs(step.eventTime) }),
  };
}

/** Queries the last state of a terminated workflow, which a worker must answer. The session's end stays unknown. */
async function readTerminated(client: Client, { workflowId, runId }: Run) {
  const session = client.workflow.getHandle(workflowId, runId);
  try {
    return await withTimeout(client, ANSWERED_WITHIN_MS, async () => ({
      ...(await session.query<SessionState>(MESSAGES.state)),
      stateHistory: await session.query<readonly StateHistoryEntry[]>(MESSAGES.stateHistory),
    }));
  } catch (cause) {
    // Hides the gRPC error, which would count as an outage of the Temporal server and end the sweep.
    throw new Error('no worker answers for the terminated workflow', { cause });
  }
}

/** Returns the end of a workflow; `undefined` if it has no result and no failure of its own, as after a termination. */
function endOf({ key, firstRunId }: LedgerClaim, closed: Closed): ToldEnd | undefined {
  if ('result' in closed) return { key, firstRunId, result: closed.result };
  const { failure, details } = closed;
  return failure === undefined || details === undefined
    ? undefined
    : { key, firstRunId, failure, ...details };
}
