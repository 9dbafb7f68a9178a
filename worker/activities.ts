/** The activities of a worker, with their access to Temporal and to the worker. */
import { Runtime } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { createActivities, type ActivitiesOptions, type PaymentActivities } from '../activities';
import { keyOfWorkflow } from '../src/protocol/names';
import type { PaymentSessions } from '../src/sessions';
import { TemporalClaims } from './one-payment-one-key';
import type { ServiceClients } from './service-clients';
import type { CancelResumer } from '../activities/dependencies';

/** The worker's parts that its activities use. */
export interface WorkerParts extends Pick<
  ActivitiesOptions,
  'held' | 'now' | 'onChange' | 'tracePoll' | 'ledger'
> {
  readonly client: Client;
  /** Finds the follower of a session. Asks the Temporal server only, never the ledger. */
  readonly sessions: PaymentSessions;
  /** Reads the ledger, too, if there is one. */
  readonly readable: PaymentSessions;
  readonly services: ServiceClients;
  readonly taskQueue: string;
}

export function activitiesOf({
  client,
  sessions,
  readable,
  services,
  taskQueue,
  ...rest
}: WorkerParts): PaymentActivities {
  return createActivities({
    serviceOf: (account) => services.of(account),
    readState: (key) => readable.get(key).state(),
    completion: client.activity,
    resumeCancel: cancelResumer(sessions),
    claims: new TemporalClaims({ client, sessions, taskQueue }),
    ...rest,
  });
}

/**
 * Resumes a cancel: a refresh makes a waiting session cancel again at once. If the refresh fails, the session waits
 * for its back-off.
 */
function cancelResumer(sessions: PaymentSessions): CancelResumer {
  return (workflowId) => {
    const session = sessions.get(keyOfWorkflow(workflowId) ?? '');
    session.refresh().catch((error: unknown) => {
      Runtime.instance().logger.debug('a cancellation was not resumed early', {
        workflowId,
        error: String(error),
      });
    });
  };
}
