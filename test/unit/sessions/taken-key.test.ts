import { expect, test } from '@jest/globals';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { FINGERPRINT, type PreparedStart } from '../../../src/sessions/start/prepare-start';
import { startUnlessTaken } from '../../../src/sessions/start/taken-key';

/** A client of a Temporal server that names another request's session, and whose histories never come. */
const client = {
  options: { namespace: 'default' },
  withDeadline: <T>(_atMs: number, call: () => Promise<T>) => call(),
  workflow: {
    getHandle: () => ({
      describe: () =>
        Promise.resolve({
          runId: 'run-1',
          status: { name: 'RUNNING' },
          memo: { [FINGERPRINT]: 'another' },
          raw: {},
        }),
    }),
  },
  workflowService: { getWorkflowExecutionHistory: () => new Promise(() => undefined) },
} as unknown as Client;

test('a key of another request is a conflict, even if there is no time left to read how the requests differ', async () => {
  const workflowId = 'payment-session/order-1';
  const start = { key: 'order-1', mark: 'mine', fingerprint: 'own', options: { workflowId, args: [{}] } };
  const taken = () =>
    Promise.reject(new WorkflowExecutionAlreadyStartedError('taken', workflowId, 'paymentSession'));
  const deadline = { endsAtMs: performance.now() + 300 };
  const begun = startUnlessTaken(client, start as unknown as PreparedStart, taken, deadline);
  await expect(begun).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
});
