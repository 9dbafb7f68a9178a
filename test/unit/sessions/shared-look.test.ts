import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { whileWorkerPolls } from '../../../src/sessions/calls/workers';

/**
 * Returns a client of a Temporal server that lists this many workers for each task queue. Also returns the number of requests for
 * workflows, and the names of the requested task queues.
 */
function clientOf(workers: number, answersAfterMs = 0) {
  const requested = { workflows: 0, queues: [] as string[] };
  const requests: (AbortSignal | undefined)[] = [];
  const signals = new AsyncLocalStorage<AbortSignal>();
  const lastAccessTime = { seconds: { toNumber: () => Math.floor(Date.now() / 1_000) } };
  const client = {
    options: { namespace: 'default' },
    withDeadline: <T>(_atMs: number, call: () => Promise<T>) => call(),
    withAbortSignal: <T>(signal: AbortSignal, call: () => Promise<T>) => signals.run(signal, call),
    workflow: {
      getHandle: () => ({
        describe: () => {
          requested.workflows += 1;
          return Promise.resolve({ taskQueue: 'payments', raw: {} });
        },
      }),
    },
    workflowService: {
      describeTaskQueue: ({ taskQueue }: { readonly taskQueue: { readonly name: string } }) => {
        requested.queues.push(taskQueue.name);
        const pollers = Array.from({ length: workers }, (_, n) => ({
          identity: `worker-${n}`,
          lastAccessTime,
        }));
        requests.push(signals.getStore());
        return sleep(answersAfterMs, { pollers }, { signal: signals.getStore() });
      },
    },
  };
  return { client: client as unknown as Client, requested, requests };
}

const slow = () => sleep(1_500, 'answered');
const callOf = (client: Client, n: number) => {
  const workflow = { workflowId: `payment-session/${n}`, taskQueue: 'payments', timeoutMs: 10_000 };
  return whileWorkerPolls(client, workflow, slow);
};

// If a session does not answer for a while, the client checks whether a worker polls the session's task queue.
describe('many slow calls of one client to sessions', () => {
  test.concurrent('share one check for workers of the sessions’ task queue', async () => {
    const { client, requested } = clientOf(1);
    const calls = Array.from({ length: 50 }, (_, n) => callOf(client, n));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['answered']));
    expect(requested).toEqual({ workflows: 0, queues: ['payments'] });
  });

  test.concurrent('all fail if the shared check finds no worker', async () => {
    const { client, requested } = clientOf(0);
    const calls = Array.from({ length: 5 }, (_, n) => callOf(client, n));
    const failures = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    expect(failures).toMatchObject(calls.map(() => ({ code: 'WORKER_UNAVAILABLE' })));
    expect(requested.queues).toEqual(['payments']);
  });

  test.concurrent('stop the check for workers once all calls are answered, so that the check is not repeated on a closed connection', async () => {
    const { client, requests } = clientOf(1, 5_000);
    await Promise.all([callOf(client, 1), callOf(client, 2)]);
    expect(requests).toMatchObject([{ aborted: true }]);
  });
});
