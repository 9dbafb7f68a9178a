import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { sessionKind } from '../../contract';
import { SessionConflictError } from '../../errors';
import { WORKFLOW_ID_PREFIX } from '../../protocol/names';
import type { PaymentSessionInput } from '../../protocol/input';
import type { PaymentSessionWorkflow } from '../../protocol/session';
import { fingerprintOf } from './input';

/** The field of the memo that tells a session's request from another. */
export const FINGERPRINT = 'paymentSessionFingerprint';

/** How a session's workflow is started, by whatever way: one key, one session, with the fingerprint of its request. */
export function startOptionsOf(input: PaymentSessionInput, taskQueue: string) {
  const { key, request } = input;
  return {
    taskQueue,
    workflowId: `${WORKFLOW_ID_PREFIX}${key}`,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    memo: { [FINGERPRINT]: fingerprintOf(input) },
    staticSummary: [sessionKind(request), request.direction, request.amount, 'CAD']
      .filter((part) => part != null)
      .join(' '),
    args: [input],
  } satisfies WorkflowStartOptions<PaymentSessionWorkflow>;
}

/**
 * After a start that failed: returns when that was because the key belongs to a session with the same request. Throws
 * `SessionConflictError` when its request is another one, and any other error as it is.
 */
export async function assertSameRequest(
  client: Client,
  input: PaymentSessionInput,
  error: unknown,
): Promise<void> {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  const workflowId = `${WORKFLOW_ID_PREFIX}${input.key}`;
  const { memo } = await client.workflow.getHandle(workflowId).describe();
  const fingerprint = memo?.[FINGERPRINT] ?? (await fingerprintOfStart(client, workflowId));
  if (fingerprint !== fingerprintOf(input)) throw new SessionConflictError(input.key);
}

/** A session that another workflow or another SDK started has no fingerprint: its input tells as much. */
async function fingerprintOfStart(client: Client, workflowId: string): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [input] = await decodeArrayFromPayloads(client.options.loadedDataConverter, started?.input?.payloads);
  return isInput(input) ? fingerprintOf(input) : undefined;
}

/** The workflow has refused anything else. */
function isInput(value: unknown): value is PaymentSessionInput {
  return typeof value === 'object' && value !== null && 'request' in value;
}
