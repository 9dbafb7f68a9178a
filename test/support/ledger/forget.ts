import type { Client } from '@temporalio/client';
import type { PaymentSessionHandle } from '../../../src';

/** Has the Temporal server drop a session, as it does when its retention is over. */
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
