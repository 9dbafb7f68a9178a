import { Runtime } from '@temporalio/worker';
import type { CancelResumer } from '../activities';
import { WORKFLOW_ID_PREFIX } from '../src/protocol/names';
import type { PaymentSessions } from '../src/sessions';

/** A refresh has a session that waits to cancel again do so at once. Where it fails, the session waits for its back-off. */
export function cancelResumer(sessions: PaymentSessions): CancelResumer {
  return (workflowId) => {
    const session = sessions.get(workflowId.slice(WORKFLOW_ID_PREFIX.length));
    session.refresh().catch((error: unknown) => {
      Runtime.instance().logger.debug('a cancel was not resumed early', { workflowId, error: String(error) });
    });
  };
}
