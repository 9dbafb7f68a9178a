import { expect, test } from '@jest/globals';
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, RetryState } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { toSummary } from '../../../src/sessions';
import { FINGERPRINT, type PreparedStart } from '../../../src/sessions/start/prepare-start';
import { startUnlessTaken } from '../../../src/sessions/start/taken-key';

/** Returns a client of a Temporal server with one session. Requests for its history are not answered. */
const clientOf = (name: string, fingerprint: string) =>
  ({
    options: { namespace: 'default' },
    withDeadline: <T>(_atMs: number, call: () => Promise<T>) => call(),
    workflow: {
      getHandle: () => ({
        describe: () =>
          Promise.resolve({
            runId: 'run-1',
            status: { name },
            memo: { [FINGERPRINT]: fingerprint },
            raw: {},
          }),
      }),
    },
    workflowService: { getWorkflowExecutionHistory: () => new Promise(() => undefined) },
  }) as unknown as Client;

/** Starts a session with the key order-1, which is taken. */
function start(client: Client) {
  const workflowId = 'payment-session/order-1';
  const prepared = { key: 'order-1', mark: 'mine', fingerprint: 'own', options: { workflowId, args: [{}] } };
  const taken = () =>
    Promise.reject(new WorkflowExecutionAlreadyStartedError('taken', workflowId, 'paymentSession'));
  const deadline = { endsAtMs: performance.now() + 300 };
  return startUnlessTaken(client, prepared as unknown as PreparedStart, taken, deadline);
}

test('a start is a conflict if the key has another request, even if no time is left to compare the two requests', async () => {
  const begun = start(clientOf('RUNNING', 'another'));
  await expect(begun).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
});

test('a session counts as running if an operator has paused its workflow in Temporal', async () => {
  expect(await start(clientOf('PAUSED', 'own'))).toEqual({ found: { attached: true } });
  const status = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED;
  const summary = toSummary({ execution: { workflowId: 'payment-session/order-1', runId: 'run-1' }, status });
  expect(summary).toMatchObject({ running: true });
  expect(summary).not.toHaveProperty('outcome');
});

/** The part of a run's first event that shows how the run began. */
interface Began {
  readonly originalExecutionRunId: string;
  readonly continuedExecutionRunId?: string;
  readonly initiator?: temporal.api.enums.v1.ContinueAsNewInitiator;
}

/**
 * Returns a client of a Temporal server on which a key's workflow began with `run-1`. Its newest run, `run-3`, failed because the
 * service rejected the create request. The server has dropped the runs that are not in `histories`. It refuses to start a workflow.
 */
function clientOfRuns(histories: Readonly<Record<string, Began>>): Client {
  const details = { state: { anomalies: [] }, stateHistory: [] };
  const rejected = ApplicationFailure.nonRetryable('rejected', 'SERVICE_REQUEST_REJECTED', details);
  return {
    options: { namespace: 'default' },
    withDeadline: <T>(_atMs: number, call: () => Promise<T>) => call(),
    workflow: {
      getHandle: () => ({
        describe: () =>
          Promise.resolve({
            runId: 'run-3',
            status: { name: 'FAILED' },
            memo: { [FINGERPRINT]: 'own' },
            raw: { workflowExecutionInfo: { firstRunId: 'run-1' } },
          }),
        result: () =>
          Promise.reject(new WorkflowFailedError('failed', rejected, RetryState.NON_RETRYABLE_FAILURE)),
      }),
      start: () => Promise.reject(new Error('started again')),
    },
    workflowService: {
      getWorkflowExecutionHistory: ({ execution }: { readonly execution: { readonly runId: string } }) => {
        const started = histories[execution.runId];
        return started === undefined
          ? Promise.reject(Object.assign(new Error('no such run'), { code: 5, details: '', metadata: {} }))
          : Promise.resolve({
              history: { events: [{ workflowExecutionStartedEventAttributes: started }] },
            });
      },
    },
  } as unknown as Client;
}

const { ContinueAsNewInitiator: INITIATOR } = temporal.api.enums.v1;

/** Returns how a run began, for a workflow without resets. `after` is the run before. */
const began = (
  runId: string,
  after?: string,
  initiator = INITIATOR.CONTINUE_AS_NEW_INITIATOR_WORKFLOW,
): Began => ({
  originalExecutionRunId: runId,
  ...(after !== undefined && { continuedExecutionRunId: after, initiator }),
});

const TAKEN = {
  found: { attached: true, end: { outcome: 'failed', paid: false, failure: 'SERVICE_REQUEST_REJECTED' } },
};

test('a key can be used again if no run of its workflow created a session, and all runs are known', async () => {
  const runs = { 'run-3': began('run-3', 'run-2'), 'run-2': began('run-2', 'run-1') };
  await expect(start(clientOfRuns(runs))).rejects.toThrow('started again');
});

test('a key stays taken if Temporal has dropped an earlier run of its workflow, because that run may have created a session', async () => {
  expect(await start(clientOfRuns({ 'run-3': began('run-3', 'run-2') }))).toEqual(TAKEN);
});

test.each([
  ['retry policy', INITIATOR.CONTINUE_AS_NEW_INITIATOR_RETRY],
  ['cron schedule', INITIATOR.CONTINUE_AS_NEW_INITIATOR_CRON_SCHEDULE],
])(
  'a key stays taken if a %s began a run of its workflow, because that run does not know what earlier runs created',
  async (_name, initiator) => {
    const runs = { 'run-3': began('run-3', 'run-2'), 'run-2': began('run-2', 'run-1', initiator) };
    expect(await start(clientOfRuns(runs))).toEqual(TAKEN);
  },
);
