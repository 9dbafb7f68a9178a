import { expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { pollersOf } from '../../../src/sessions/calls/workers';
import { until } from '../../support/wait';
import { FOUR_PARTITIONS, useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';

const server = useTemporalServer(FOUR_PARTITIONS);
const world = useWorld(() => ({ temporalAddress: server.address }));

/**
 * Returns a client for which the first partition of each task queue lists no pollers. This happens at a Temporal server that has
 * just moved the partition to another node.
 */
function afterMove(): Client {
  const client = new Client({ connection: world.client.connection });
  const { workflowService } = client;
  const describeTaskQueue = async (request: temporal.api.workflowservice.v1.IDescribeTaskQueueRequest) => {
    const answer = await workflowService.describeTaskQueue(request);
    if (request.taskQueue?.name === world.taskQueue) answer.pollers = [];
    return answer;
  };
  const moved: unknown = Object.create(workflowService, { describeTaskQueue: { value: describeTaskQueue } });
  Object.defineProperty(client, 'workflowService', { value: moved });
  return client;
}

test('if the first partition of a task queue lists no pollers, the client finds the worker through the other partitions', async () => {
  const pollers = await until(
    () => pollersOf(afterMove(), world.taskQueue),
    (found) => found.length > 0,
  );
  expect(pollers).toHaveLength(1);
  expect(pollers[0]).toMatchObject({ recent: true });
});
