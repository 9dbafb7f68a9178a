import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { WorkerCount } from '../../../worker/worker-count';

interface Listed {
  readonly identity: string;
  readonly secondsAgo: number;
}

/** Returns a worker's count with a Temporal server that lists these pollers for workflows and activities. Without a list, it fails. */
function countOf(lists: { workflows?: readonly Listed[]; activities?: readonly Listed[] }) {
  const told: (number | 'unknown')[] = [];
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
    onCount: (workers) => told.push(workers),
    onUnknown: () => told.push('unknown'),
  });
  return { count, told };
}

const here = (identity: string): Listed => ({ identity, secondsAgo: 30 });

test('a worker counts itself and the workers that the Temporal server lists for workflows or activities, each once', async () => {
  const { count, told } = countOf({
    workflows: [here('this'), here('second')],
    activities: [here('second'), here('third')],
  });
  await count.look();
  await count.look();
  expect(told).toEqual([3]);
});

test('a worker that has not polled the task queue for two minutes is no longer counted', async () => {
  const lists = { workflows: [here('second'), { identity: 'gone', secondsAgo: 130 }], activities: [] };
  const { count, told } = countOf(lists);
  await count.look();
  lists.workflows = [{ identity: 'second', secondsAgo: 130 }];
  await count.look();
  expect(told).toEqual([2, 1]);
});

test('if the Temporal server does not answer, the last count of workers stays valid, and that is reported once', async () => {
  const lists: { workflows?: Listed[]; activities: Listed[] } = {
    workflows: [here('second')],
    activities: [],
  };
  const { count, told } = countOf(lists);
  await count.look();
  delete lists.workflows;
  await count.look();
  await count.look();
  expect(told).toEqual([2, 'unknown']);
});

test('a worker that stops reports no count of workers', async () => {
  const { count, told } = countOf({ workflows: [here('second')], activities: [] });
  await count.look(AbortSignal.abort());
  expect(told).toEqual([]);
});
