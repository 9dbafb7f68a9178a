import { describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { pollersOf } from '../../../src/sessions/calls/worker-check';
import { useClock } from '../../support/put-clock';
import { until } from '../../support/wait';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';

const putClock = useClock();
const world = useWorld();
const native = use(
  () => NativeConnection.connect({ address: world.engineAddress }),
  (connection) => connection.close(),
);

const found = (client: Client) =>
  until(
    () => pollersOf(client, world.taskQueue),
    (pollers) => pollers.length > 0,
  );

/** A client of an engine whose workers polled last so long ago. */
function lastPolled(agoMs: number): Client {
  const client = new Client({ connection: world.client.connection });
  const { workflowService } = client;
  const atMs = Date.now() - agoMs;
  const describeTaskQueue = async (request: temporal.api.workflowservice.v1.IDescribeTaskQueueRequest) => {
    const answer = await workflowService.describeTaskQueue(request);
    const gone = { identity: 'gone', lastAccessTime: { seconds: Math.floor(atMs / 1_000) } };
    if (request.taskQueue?.name === world.taskQueue)
      answer.pollers = [temporal.api.taskqueue.v1.PollerInfo.fromObject(gone)];
    return answer;
  };
  const changed: unknown = Object.create(workflowService, {
    describeTaskQueue: { value: describeTaskQueue },
  });
  Object.defineProperty(client, 'workflowService', { value: changed });
  return client;
}

describe('a machine whose clock is two minutes', () => {
  test.each([
    ['ahead', 120_000],
    ['behind', -120_000],
  ])('%s sees a worker that is there', async (_, byMs) => {
    await found(world.client);
    putClock(byMs);
    for (const connection of [world.client.connection, native]) {
      const [worker, ...others] = await found(new Client({ connection }));
      expect(others).toEqual([]);
      expect(worker).toMatchObject({ recent: true });
      const agoMs = Date.now() - (worker?.polledAtMs ?? 0);
      expect(agoMs).toBeGreaterThan(-60_000);
      expect(agoMs).toBeLessThan(60_000);
    }
  });

  test('behind sees that one is gone', async () => {
    const client = lastPolled(90_000);
    putClock(-120_000);
    expect(await found(client)).toContainEqual(expect.objectContaining({ identity: 'gone', recent: false }));
  });
});
