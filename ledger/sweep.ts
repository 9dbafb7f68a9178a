import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { KeyClaim } from '../src/protocol/activities/activities';
import type { PaymentSessionInput } from '../src/protocol/input/input';
import type { LedgerClaim, LedgerFact } from '../src/protocol/ledger/facts';
import { endFacts } from '../src/protocol/ledger/session-facts';
import type { ToldEnd } from '../src/protocol/ledger/told';
import { DEFAULT_ACCOUNT, WORKFLOW_ID_PREFIX } from '../src/protocol/names';
import type { Closed } from '../src/protocol/state/left-nothing';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { openReference } from '../src/protocol/temporal/search-attributes';
import { conditionsOf, fingerprintOf, readClosed, readStoredInput, toMs } from '../src/sessions';
import type { LedgerEndOf } from './entries/entry-log';
import type { PaymentLedger } from './payment-ledger';

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
  /** It cannot be read, for instance without the key that it is encrypted with. */
  readonly isUnreadable?: true;
}

/** So many sessions are asked of the ledger at once. */
const PAGE = 200;
/** Its end is recorded a moment before a workflow ends; clocks may differ. One that is reset ends later once more. */
const SAME_END_MS = 60_000;

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
  readonly workflowId: string;
  readonly runId: string;
  readonly startTime: Date;
  readonly closeTime: Date;
}

type RawRun = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

function toRun({ execution, startTime, closeTime }: RawRun): readonly Run[] {
  const { workflowId, runId } = execution ?? {};
  if (!workflowId || !runId || startTime == null || closeTime == null) return [];
  return [{ workflowId, runId, startTime: new Date(toMs(startTime)), closeTime: new Date(toMs(closeTime)) }];
}

const keyOf = ({ workflowId }: Run): string => workflowId.slice(WORKFLOW_ID_PREFIX.length);

async function* sweepPage(
  { client, ledger }: SweepOptions,
  runs: readonly Run[],
): AsyncGenerator<SweptSession> {
  const ends = await ledger.endedAmong([...new Set(runs.map(keyOf))]);
  // The first that had a key comes first.
  for (const run of runs.toSorted((one, other) => one.closeTime.getTime() - other.closeTime.getTime())) {
    const key = keyOf(run);
    const ended = await readable(() => readEnded(client, run, ends));
    if (ended === 'unreadable') yield { key, added: 0, isUnreadable: true };
    else if (ended === undefined) yield { key, added: 0 };
    else yield { key, added: await ledger.recordEnded(ended.claim, ended.facts) };
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

/** Reads a session that has ended; `undefined` where it is known, or has refused its input. */
async function readEnded(
  client: Client,
  run: Run,
  ends: readonly LedgerEndOf[],
): Promise<EndedSession | undefined> {
  const { workflowId, runId, startTime, closeTime } = run;
  const key = keyOf(run);
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? runId;
  const isKnown = ends.some(
    (end) =>
      end.key === key &&
      end.firstRunId === firstRunId &&
      end.at.getTime() >= closeTime.getTime() - SAME_END_MS,
  );
  if (isKnown) return undefined;
  const input = await readStoredInput(client, workflowId, runId);
  if (input === undefined) return undefined;
  const claim = { key, firstRunId };
  const closed = await readClosed(client, workflowId, runId);
  if ('failure' in closed && closed.failure === 'INVALID_INPUT') return undefined;
  const end = endOf(claim, closed);
  return {
    claim: claimOf(claim, input, startTime),
    // Of one that was terminated, nobody knows how it ended: its key is taken all the same.
    facts: end === undefined ? [] : endFacts(end, closeTime.toISOString()),
  };
}

function claimOf(claim: KeyClaim, input: PaymentSessionInput, startTime: Date): LedgerClaim {
  const { account = DEFAULT_ACCOUNT, request } = input;
  const referenceId = openReference(input);
  return {
    ...claim,
    fingerprint: fingerprintOf(input),
    account,
    request,
    at: startTime.toISOString(),
    ...(referenceId !== undefined && { referenceId }),
  };
}

/** What a workflow that was terminated, or that has refused its input, has left tells nothing of a session. */
function endOf(claim: KeyClaim, closed: Closed): ToldEnd | undefined {
  if ('result' in closed) return { ...claim, result: closed.result };
  const { failure, details } = closed;
  return failure === undefined || details === undefined ? undefined : { ...claim, failure, ...details };
}
