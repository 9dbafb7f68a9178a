import type { Client } from '@temporalio/client';
import type { PaymentSessionHandle } from '../../../src';

/** Makes the Temporal server drop a session, as at the end of Temporal's retention, and waits until it has. */
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
