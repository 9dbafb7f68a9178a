/** The start of a session as Temporal stores it: its input, and its time. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { isRecord } from '../contract/values/json';
import { decodePayloads } from '../encryption/payload-codec';
import type { PaymentSessionInput } from '../protocol/input';
import type { ClaimOf, LedgerClaim } from '../protocol/ledger/facts';
import { DEFAULT_ACCOUNT, workflowIdOf } from '../protocol/names';
import { GRPC, isAnswer } from '../protocol/temporal/grpc';
import { fingerprintOf } from './start/prepare-start';
import { toMs } from './temporal-values';
import { openReference } from '../protocol/temporal/visibility';
import { claimedMetadata } from '../protocol/metadata';

type Started = NonNullable<temporal.api.history.v1.IHistoryEvent['workflowExecutionStartedEventAttributes']>;

/** Returns the attributes of a run's first event; of the newest run if none is named. Throws the Temporal server's errors. */
export async function startOf(client: Client, execution: Execution): Promise<Started | undefined> {
  return (await firstEventOf(client, execution))?.workflowExecutionStartedEventAttributes ?? undefined;
}

interface Execution {
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

async function firstEventOf(client: Client, { workflowId, runId }: Execution) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, ...(runId !== undefined && { runId }) },
    maximumPageSize: 1,
  });
  return history?.events?.[0];
}

/** The input of a session's workflow, and the time of its start. */
interface StoredStart {
  readonly input: PaymentSessionInput;
  /** The id of the workflow's first run. It is this run's id, unless a continue-as-new or a reset began this run. */
  readonly firstRunId: string | undefined;
  /** The time of the run's start; ISO 8601, UTC. */
  readonly at: string;
}

/**
 * Returns the input of a session from the first event of its history, which needs no worker and no other record. `undefined` if the
 * input is not a session's, so that the workflow has refused it. Throws the errors of the Temporal server and the codecs.
 */
export async function readStoredInput(
  client: Client,
  workflowId: string,
): Promise<PaymentSessionInput | undefined> {
  return (await readStoredStart(client, { workflowId }))?.input;
}

/** Reads the input of a session, with the time of the run's start. */
async function readStoredStart(client: Client, execution: Execution): Promise<StoredStart | undefined> {
  const event = await firstEventOf(client, execution);
  const started = event?.workflowExecutionStartedEventAttributes;
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const { namespace } = client.options;
  const context = { type: 'workflow', namespace, workflowId: execution.workflowId } as const;
  // A run that a continue-as-new began also has the session's record, as the second payload.
  const [payload] = await decodePayloads(payloadCodecs, started?.input?.payloads ?? [], context);
  const input: unknown = payload && payloadConverter.fromPayload(payload);
  if (event?.eventTime == null || !isRecord(input) || !isRecord(input['request'])) return undefined;
  return {
    input: input as unknown as PaymentSessionInput,
    firstRunId: started?.firstExecutionRunId ?? undefined,
    at: new Date(toMs(event.eventTime)).toISOString(),
  };
}

/**
 * Reads the claim that a workflow makes for its key, from Temporal; `undefined` if the workflow's input is not a session's. Reads the
 * workflow's first run, or, once Temporal has forgotten that, a later run: `runId`, or else the key's newest. Throws the errors of
 * Temporal and the codecs.
 */
export async function readClaim(
  client: Client,
  { key, firstRunId }: ClaimOf,
  runId?: string,
): Promise<LedgerClaim | undefined> {
  const start = await readStart(client, { key, firstRunId }, runId);
  if (start === undefined) return undefined;
  const { input, at } = start;
  const { account = DEFAULT_ACCOUNT, request } = input;
  const referenceId = openReference(input);
  return {
    key,
    firstRunId,
    fingerprint: fingerprintOf(input),
    account,
    request,
    at,
    ...(referenceId !== undefined && { referenceId }),
    ...claimedMetadata(input),
  };
}

/**
 * Reads the start of the first run, or of a later one. Retention drops runs one by one: a run that was reset, or that continued as
 * new, goes before those that follow it.
 */
async function readStart(
  client: Client,
  { key, firstRunId }: ClaimOf,
  runId: string | undefined,
): Promise<StoredStart | undefined> {
  const workflowId = workflowIdOf(key);
  try {
    return await readStoredStart(client, { workflowId, runId: firstRunId });
  } catch (error) {
    if (!isAnswer(error, GRPC.NOT_FOUND) || runId === firstRunId) throw error;
    const later = await readStoredStart(client, { workflowId, runId });
    // The key's newest run may belong to another workflow.
    if (later !== undefined && later.firstRunId !== firstRunId) throw error;
    return later;
  }
}
