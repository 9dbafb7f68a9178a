import type { Client } from '@temporalio/client';
import { describe, expect, test } from '@jest/globals';
import { examineOpenSessions } from '../../../cli/commands/doctor/open-sessions';
import { examineWorkers } from '../../../cli/commands/doctor/workers';
import { GRPC } from '../../../src/protocol/temporal/grpc';

// After a restore from a backup, Temporal's index may list sessions that Temporal no longer has. A real server cannot be put into this state.

const answer = (code: number, details: string) =>
  Object.assign(new Error(details), { code, details, metadata: {} });
const GONE = answer(GRPC.NOT_FOUND, 'workflow not found for ID');
const NO_POLLER = answer(GRPC.FAILED_PRECONDITION, 'no poller seen for task queue recently');

type Answers = Readonly<Record<string, Promise<object>>>;

/** Returns a client of a Temporal server whose index lists these sessions as open. Each session has an answer. */
function clientOf(answers: Answers): Client {
  const ask = ({ execution }: { readonly execution: { readonly workflowId: string } }) =>
    answers[execution.workflowId];
  const executions = Object.keys(answers).map((workflowId) => ({ execution: { workflowId } }));
  const seconds = { toNumber: () => Math.floor(Date.now() / 1_000) };
  return {
    options: { namespace: 'default' },
    withDeadline: (_at: number, call: () => unknown) => call(),
    workflowService: {
      listWorkflowExecutions: () => Promise.resolve({ executions }),
      describeWorkflowExecution: ask,
      queryWorkflow: ask,
      describeTaskQueue: () =>
        Promise.resolve({ pollers: [{ identity: '1@a', lastAccessTime: { seconds } }] }),
    },
  } as unknown as Client;
}

const failed = (error: Error) => {
  const rejected = Promise.reject(error);
  rejected.catch(() => undefined);
  return rejected;
};

describe('if the index lists a session that Temporal no longer has, doctor', () => {
  test('checks the other open sessions', async () => {
    const stuck = Promise.resolve({ pendingWorkflowTask: { attempt: 3 } });
    const client = clientOf({ 'payment-session/gone': failed(GONE), 'payment-session/open': stuck });
    Object.assign(client.workflowService, {
      getWorkflowExecutionHistoryReverse: () => Promise.resolve({}),
    });
    expect(await examineOpenSessions(client, 'payment-sessions')).toMatchObject({
      ok: false,
      found: '2 checked, 1 cannot continue: payment-session/open (no reason given)',
    });
  });

  test('asks another open session whether a worker answers', async () => {
    const client = clientOf({
      'payment-session/gone': failed(GONE),
      'payment-session/open': failed(NO_POLLER),
    });
    expect(await examineWorkers(client, 'payment-sessions')).toMatchObject({ ok: false });
    const answered = { 'payment-session/gone': failed(GONE), 'payment-session/open': Promise.resolve({}) };
    expect(await examineWorkers(clientOf(answered), 'payment-sessions')).toMatchObject({ ok: true });
  });
});
