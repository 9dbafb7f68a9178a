import { describe, expect, test } from '@jest/globals';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { startOrJoin } from '../../../src/sessions';
import { FINGERPRINT, fingerprintOf } from '../../../src/sessions/start/prepare-start';
import { completing, eft } from '../../support/requests';

const OWN = { key: 'order-1', request: completing() };
const ANOTHER = { key: 'order-1', request: { ...eft(), amount: 99 } };

/**
 * Returns a client of a Temporal server with a session of the key. The session has the first of these requests when it is first
 * read, then the second, and so on. After that, it has the last request.
 */
function clientOf(...inputs: readonly (typeof OWN)[]): Client {
  const remaining = [...inputs];
  return {
    options: { namespace: 'default' },
    withDeadline: <T>(_atMs: number, call: () => Promise<T>) => call(),
    workflow: {
      getHandle: () => ({
        describe: () => {
          const input = (remaining.length > 1 ? remaining.shift() : remaining[0]) ?? OWN;
          const memo = { [FINGERPRINT]: fingerprintOf(input) };
          return Promise.resolve({ runId: 'run-1', status: { name: 'RUNNING' }, memo, raw: {} });
        },
      }),
    },
    workflowService: { getWorkflowExecutionHistory: () => Promise.reject(new Error('unreadable')) },
  } as unknown as Client;
}

const taken = () =>
  new WorkflowExecutionAlreadyStartedError('taken', 'payment-session/order-1', 'paymentSession');
const follows = () => Promise.resolve('followed');
const isEnded = () => Promise.reject(taken());

/** Starts a session whose key is taken. The start then joins the key's session, with the result `joined`. */
const join = (client: Client, joined: () => Promise<string>) =>
  startOrJoin(client, { input: OWN, taskQueue: 'payments' }, ({ workflowIdConflictPolicy }) =>
    workflowIdConflictPolicy === 'FAIL' ? isEnded() : joined(),
  );

describe('a call that joins the session of a taken key', () => {
  test('follows the session, or reports its end, if the requests are equal', async () => {
    expect(await join(clientOf(OWN), follows)).toEqual({ answer: 'followed' });
    expect(await join(clientOf(OWN), isEnded)).toEqual({ ended: 'order-1' });
  });

  test.each([
    ['runs', follows],
    ['has ended', isEnded],
  ])(
    'is a conflict if meanwhile the key was started again with another request, and that session %s',
    async (_name, joined) => {
      await expect(join(clientOf(OWN, ANOTHER), joined)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    },
  );
});
