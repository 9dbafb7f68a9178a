import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { WorkerCount } from '../../../worker/worker-count';

interface Listed {
  readonly identity: string;
  readonly secondsAgo: number;
}

/**
 * Returns a worker's count of workers, and its reports. The Temporal server lists these pollers for workflows and activities. Without a
 * list, the server's answer is an error.
 */
function countOf(lists: { workflows?: readonly Listed[]; activities?: readonly Listed[] }) {
  const reported: (number | 'unknown')[] = [];
  const describeTaskQueue = ({ taskQueueType }: { taskQueueType: number }) => {
    const listed = taskQueueType === 1 ? lists.workflows : lists.activities;
    if (listed === undefined) return Promise.reject(new Error('unavailable'));
    const pollers = listed.map(({ identity, secondsAgo }) => ({
      identity,
      lastAccessTime: { seconds: { toNumber: () => Math.floor(Date.now() / 1_000) - secondsAgo } },
    }));
    return Promise.resolve({ pollers });
  };
  const client = {
    options: { namespace: 'default' },
    workflowService: { describeTaskQueue },
    withDeadline: <T>(_deadline: number, call: () => Promise<T>) => call(),
  } as unknown as Client;
  const count = new WorkerCount({
    client,
    taskQueue: 'payment-sessions',
    identity: 'this',
    onCount: (workers) => reported.push(workers),
    onUnknown: () => reported.push('unknown'),
  });
  return { count, reported };
}

const polledRecently = (identity: string): Listed => ({ identity, secondsAgo: 30 });

test('a worker counts itself and all workers that the Temporal server lists for workflows or activities', async () => {
  const { count, reported } = countOf({
    workflows: [polledRecently('this'), polledRecently('second')],
    activities: [polledRecently('second'), polledRecently('third')],
  });
  await count.look();
  await count.look();
  expect(reported).toEqual([3]);
});

test('a worker that has not polled the task queue for two minutes is not counted', async () => {
  const lists = {
    workflows: [polledRecently('second'), { identity: 'gone', secondsAgo: 130 }],
    activities: [],
  };
  const { count, reported } = countOf(lists);
  await count.look();
  lists.workflows = [{ identity: 'second', secondsAgo: 130 }];
  await count.look();
  expect(reported).toEqual([2, 1]);
});

test('if the Temporal server does not answer, the last count of workers stays valid, and the failure is reported once', async () => {
  const lists: { workflows?: Listed[]; activities: Listed[] } = {
    workflows: [polledRecently('second')],
    activities: [],
  };
  const { count, reported } = countOf(lists);
  await count.look();
  delete lists.workflows;
  await count.look();
  await count.look();
  expect(reported).toEqual([2, 'unknown']);
});

test('a worker that has stopped reports no count of workers', async () => {
  const { count, reported } = countOf({ workflows: [polledRecently('second')], activities: [] });
  await count.look(AbortSignal.abort());
  expect(reported).toEqual([]);
});
