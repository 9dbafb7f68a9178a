import type { Client } from '@temporalio/client';
import type { PaymentSessionHandle } from '../../../src';

/** Deletes a session’s workflow in Temporal, as Temporal does after its retention time. Waits until the workflow is gone. */
export async function forget(
  { client }: { readonly client: Client },
  { workflowId }: Pick<PaymentSessionHandle, 'workflowId'>,
): Promise<void> {
  const { workflowService, workflow } = client;
  const { namespace } = client.options;
  await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  for (;;) {
    try {
      await workflow.getHandle(workflowId).describe();
    } catch {
      return;
    }
  }
}
