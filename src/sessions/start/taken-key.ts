import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { SessionConflictError } from '../../errors';
import { FINGERPRINT, fingerprintOf } from './fingerprint';
import { readStoredInput } from '../stored-input';
import type { PreparedStart } from './prepare-start';

/**
 * Runs a call that starts a session; gives `undefined` where the key belongs to a session with the same request: attach to
 * that one. Throws `SessionConflictError` where its request is another one.
 */
export async function unlessTaken<T>(
  client: Client,
  start: PreparedStart,
  call: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    await assertSameRequest(client, start, error);
    return undefined;
  }
}

async function assertSameRequest(
  client: Client,
  { key, fingerprint, options: { workflowId } }: PreparedStart,
  error: unknown,
): Promise<void> {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  const { memo } = await client.workflow.getHandle(workflowId).describe();
  const taken = memo?.[FINGERPRINT] ?? (await fingerprintOfInput(client, workflowId));
  if (taken !== fingerprint) throw new SessionConflictError(key);
}

/** A session that another workflow or another SDK started has no fingerprint: its input tells as much. */
async function fingerprintOfInput(client: Client, workflowId: string): Promise<string | undefined> {
  const input = await readStoredInput(client, workflowId);
  return input && fingerprintOf(input);
}
