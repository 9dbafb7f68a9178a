/** Reads the start of a session from Temporal's history: the input, and the time. */
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

/** Returns the attributes of a run's first event. Without a `runId`, reads the newest run. Throws the Temporal server's errors. */
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
  /** The id of the workflow's first run. A continue-as-new or a reset begins a later run. */
  readonly firstRunId: string | undefined;
  /** The time of the run's start; ISO 8601, UTC. */
  readonly at: string;
}

/**
 * Returns the input of a session. Reads the first event of the session's history, so no worker needs to run. `undefined` if the input
 * is not the input of a session; the workflow then has refused it. Throws the errors of the Temporal server and the codecs.
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
  // After a continue-as-new, the second payload is the session's record.
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
 * Computes a workflow's claim from the workflow's input in Temporal. A claim is the ledger's record that a key belongs to one
 * workflow. `undefined` if the input is not the input of a session.
 *
 * Reads the workflow's first run. If Temporal has dropped the first run, reads the run `runId`, or by default the key's newest run.
 * Throws the errors of Temporal and the codecs.
 */
export async function readClaim(
  client: Client,
  { key, firstRunId }: ClaimOf,
  runId?: string,
): Promise<LedgerClaim | undefined> {
  const start = await readStart(client, { key, firstRunId }, runId);
  if (start === undefined) return undefined;
  const { input, at } = start;
  const { request } = input;
  const account = input.account ?? DEFAULT_ACCOUNT;
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
 * Reads the start of a workflow's first run, or of a later run if Temporal has dropped the first. Temporal drops runs one by one: a
 * run that was reset or continued as new is dropped before the runs after it.
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
