import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { ClaimOf, LedgerClaim } from '../protocol/ledger/facts';
import { DEFAULT_ACCOUNT, workflowIdOf } from '../protocol/names';
import { GRPC, grpcAnswerOf } from '../protocol/temporal/grpc';
import { openReference } from '../protocol/temporal/visibility';
import { fingerprintOf } from './start/prepare-start';
import { readStoredStart, type StoredStart } from './stored-input';

/**
 * Reads what a workflow claims its key with, from Temporal; `undefined` if the workflow has refused its input. Its first run says it, or, once
 * Temporal has forgotten that one, a later run: `runId`, or else the key's newest. Throws what Temporal and the codecs answer.
 */
export async function readClaim(
  client: Client,
  { key, firstRunId }: ClaimOf,
  runId?: string,
): Promise<LedgerClaim | undefined> {
  const start = await readStart(client, { workflowId: workflowIdOf(key), firstRunId, runId });
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
  };
}

interface AskedRun {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly runId: string | undefined;
}

/** Retention forgets runs one by one: one that was reset, or that continued as new, before those that follow it. */
async function readStart(
  client: Client,
  { workflowId, firstRunId, runId }: AskedRun,
): Promise<StoredStart | undefined> {
  try {
    return await readStoredStart(client, { workflowId, runId: firstRunId });
  } catch (error) {
    const isForgotten =
      error instanceof WorkflowNotFoundError || grpcAnswerOf(error)?.code === GRPC.NOT_FOUND;
    if (!isForgotten || runId === firstRunId) throw error;
    const later = await readStoredStart(client, { workflowId, runId });
    // The key's newest run may be another workflow's.
    if (later !== undefined && later.firstRunId !== firstRunId) throw error;
    return later;
  }
}
