import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { isPaysessionError } from '../src/errors';
import type { LedgerClaim, LedgerFact } from '../src/protocol/ledger/facts';
import { endFacts, knownFacts, type ToldEnd } from '../src/protocol/ledger/session-facts';
import { keyOfWorkflow, MESSAGES } from '../src/protocol/names';
import type { StateHistoryEntry } from '../src/protocol/state/recorded';
import type { SessionState } from '../src/protocol/state/session';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { conditionsOf, readClaim, readClosed, toMs, withTimeout } from '../src/sessions';
import type { LedgerEndOf } from './entry-log';
import type { PaymentLedger } from './payment-ledger';
import type { Closed } from '../src/protocol/state/ended';

/** What a sweep has to go on. */
export interface SweepOptions {
  readonly client: Client;
  readonly ledger: PaymentLedger;
  /** Only sessions that ended at this time or later. @default all that Temporal still keeps */
  readonly endedAfter?: Date | undefined;
}

/** A session that a sweep has looked at. */
export interface SweptSession {
  readonly key: string;
  /** How many entries the ledger lacked; they were added. */
  readonly added: number;
  /**
   * Why nothing was recorded. `unreadable`: the key that it is encrypted with is missing, or it was terminated and no worker answers for it.
   * `followed`: another key's claim has its session. `tampered`: its entries were changed in the ledger.
   */
  readonly left?: 'unreadable' | 'followed' | 'tampered';
}

/** So many sessions are asked of the ledger at once. */
const PAGE = 200;
/** The end of a history: the last step of its workflow, and what came of it. */
const LAST_EVENTS = 30;
/** A worker that answers for a terminated workflow has so long. */
const ANSWERED_WITHIN_MS = 10_000;

/**
 * Compares the sessions that have ended with the ledger, and records what it lacks: what happened while it was away, and sessions from
 * before there was one. Gives each that was looked at. Throws what `PaymentLedger` throws, and what Temporal answers.
 */
export async function* sweepLedger(options: SweepOptions): AsyncGenerator<SweptSession> {
  const { client, endedAfter } = options;
  const filter = { running: false, ...(endedAfter !== undefined && { endedAfter }) };
  const query = conditionsOf(filter).join(' AND ');
  const { namespace } = client.options;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    // Raw, since the client would decrypt the memo of each: one without its key would end the list.
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

/** One run of a session's workflow, which has ended. A key that was left free has several. */
interface Run {
  readonly key: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly closeTime: Date;
}

type RawRun = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

function toRun({ execution, closeTime }: RawRun): readonly Run[] {
  const { workflowId, runId } = execution ?? {};
  // One under another id was refused before it did anything.
  const key = keyOfWorkflow(workflowId ?? '');
  if (!workflowId || !runId || key === undefined || closeTime == null) return [];
  return [{ key, workflowId, runId, closeTime: new Date(toMs(closeTime)) }];
}

async function* sweepPage(
  { client, ledger }: SweepOptions,
  runs: readonly Run[],
): AsyncGenerator<SweptSession> {
  const ends = await ledger.endsAmong([...new Set(runs.map(({ key }) => key))]);
  // The first that had a key comes first.
  for (const run of runs.toSorted((one, other) => one.closeTime.getTime() - other.closeTime.getTime())) {
    const { key } = run;
    const ended = await readable(() => readEnded(client, run, ends));
    if (ended === 'unreadable') yield { key, added: 0, left: ended };
    else if (ended === undefined) yield { key, added: 0 };
    else yield { key, ...(await recorded(ledger, ended)) };
  }
}

async function recorded(
  ledger: PaymentLedger,
  { claim, facts }: EndedSession,
): Promise<Omit<SweptSession, 'key'>> {
  try {
    return { added: await ledger.recordEnded(claim, facts) };
  } catch (error) {
    if (isPaysessionError(error, 'SESSION_FOLLOWED')) return { added: 0, left: 'followed' };
    if (isPaysessionError(error, 'LEDGER_TAMPERED')) return { added: 0, left: 'tampered' };
    throw error;
  }
}

/** What cannot be decrypted or is gone by now ends no sweep; a Temporal server that does not answer does. */
async function readable<T>(read: () => Promise<T>): Promise<T | 'unreadable' | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || grpcAnswerOf(error)?.code === GRPC.NOT_FOUND)
      return undefined;
    if (isGrpcServiceError(error)) throw error;
    return 'unreadable';
  }
}

/** A session as Temporal has it. */
interface EndedSession {
  readonly claim: LedgerClaim;
  readonly facts: readonly LedgerFact[];
}

/** Reads a session that has ended; `undefined` if that end is known, or the workflow has refused its input. */
async function readEnded(
  client: Client,
  run: Run,
  ends: readonly LedgerEndOf[],
): Promise<EndedSession | undefined> {
  const { key, workflowId, runId, closeTime } = run;
  const lastStepAt = await lastStepOf(client, run);
  // An end is recorded with the time of the workflow's last step: one that is made again, after a refusal or a reset, has another.
  if (ends.some((end) => end.key === key && end.at.getTime() === lastStepAt)) return undefined;
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? runId;
  const claim = await readClaim(client, { key, firstRunId }, runId);
  if (claim === undefined) return undefined;
  const closed = await readClosed(client, workflowId, runId);
  if ('failure' in closed && closed.failure === 'INVALID_INPUT') return undefined;
  const at = new Date(lastStepAt ?? closeTime.getTime()).toISOString();
  const end = endOf(claim, closed);
  if (end !== undefined) return { claim, facts: endFacts(end, at) };
  return { claim, facts: knownFacts(await readTerminated(client, run), at) };
}

/** The time of the last step that a workflow has made, in milliseconds since 1970; `undefined` if it has made none. */
async function lastStepOf(client: Client, { workflowId, runId }: Run): Promise<number | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: LAST_EVENTS,
  });
  const step = history?.events?.find((event) => event.workflowTaskStartedEventAttributes != null);
  return step?.eventTime == null ? undefined : toMs(step.eventTime);
}

/** What a terminated workflow knew of its session, which a worker tells: nobody knows how it ended. */
async function readTerminated(client: Client, { workflowId, runId }: Run) {
  const session = client.workflow.getHandle(workflowId, runId);
  try {
    return await withTimeout(client, ANSWERED_WITHIN_MS, async () => ({
      ...(await session.query<SessionState>(MESSAGES.state)),
      stateHistory: await session.query<readonly StateHistoryEntry[]>(MESSAGES.stateHistory),
    }));
  } catch (cause) {
    // That is no absence of the Temporal server, which would end the sweep.
    throw new Error('no worker answers for the terminated workflow', { cause });
  }
}

/** A workflow that was terminated tells no end. */
function endOf({ key, firstRunId }: LedgerClaim, closed: Closed): ToldEnd | undefined {
  if ('result' in closed) return { key, firstRunId, result: closed.result };
  const { failure, details } = closed;
  return failure === undefined || details === undefined
    ? undefined
    : { key, firstRunId, failure, ...details };
}
