import type { Client } from '@temporalio/client';
import type { ClaimOf, LedgerClaim } from '../src/protocol/ledger/facts';
import { DEFAULT_ACCOUNT, workflowIdOf } from '../src/protocol/names';
import { openReference } from '../src/protocol/temporal/search-attributes';
import { fingerprintOf, readStoredStart } from '../src/sessions';

/**
 * Reads what a workflow claims its key with, from Temporal; `undefined` if its first run is not there, or has refused its input. Throws what
 * Temporal and the codecs answer.
 */
export async function readClaim(
  client: Client,
  { key, firstRunId }: ClaimOf,
): Promise<LedgerClaim | undefined> {
  const workflowId = workflowIdOf(key);
  const start = await readStoredStart(client, { workflowId, runId: firstRunId });
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
