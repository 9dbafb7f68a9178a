import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { ClaimOf, LedgerClaim } from '../src/protocol/ledger/facts';
import { DEFAULT_ACCOUNT, workflowIdOf } from '../src/protocol/names';
import { openReference } from '../src/protocol/temporal/search-attributes';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { fingerprintOf, readStoredStart, type StoredStart } from '../src/sessions';

/**
 * Reads what a workflow claims its key with, from Temporal; `undefined` if the workflow has refused its input. Temporal may have dropped the first
 * run of a workflow that has continued as new: each later run has the same input. Throws what Temporal and the codecs answer.
 *
 * @param laterRunId a run of the workflow @default the key's newest run
 */
export async function readClaim(
  client: Client,
  { key, firstRunId }: ClaimOf,
  laterRunId?: string,
): Promise<LedgerClaim | undefined> {
  const workflowId = workflowIdOf(key);
  const start =
    (await unlessDropped(readStoredStart(client, { workflowId, runId: firstRunId }))) ??
    (await readStoredStart(client, { workflowId, runId: laterRunId }));
  // Another workflow may have the key by now.
  if (start?.firstRunId !== firstRunId) return undefined;
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
  };
}

async function unlessDropped(reading: Promise<StoredStart | undefined>): Promise<StoredStart | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isDropped(error)) return undefined;
    throw error;
  }
}

const isDropped = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || grpcAnswerOf(error)?.code === GRPC.NOT_FOUND;
