import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { sessionKind } from '../contract';
import { SessionConflictError } from '../errors';
import { WORKFLOW_ID_PREFIX, type PaymentSessionInput } from '../../workflows/protocol';
import type { PaymentSessionWorkflow } from '../../workflows/session';
import { fingerprintOf } from './input';

const FINGERPRINT = 'paymentSessionFingerprint';

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
  const { memo } = await client.workflow.getHandle(`${WORKFLOW_ID_PREFIX}${input.key}`).describe();
  if (memo?.[FINGERPRINT] !== fingerprintOf(input)) throw new SessionConflictError(input.key);
}
