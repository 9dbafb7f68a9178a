import { expect, test } from '@jest/globals';
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { PaymentSessions } from '../../src';
import { leftOpen } from '../support/requests';
import { useWorld } from '../support/worlds/use-world';

const world = useWorld();

/** A session whose first queries fail, so many of them. */
async function failingFirst(queries: number) {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  let asked = 0;
  const interceptor: WorkflowClientInterceptor = {
    query: (input, next) => {
      asked += 1;
      return next(asked > queries ? input : { ...input, queryType: 'nobodyKnowsIt' });
    },
  };
  const { connection, options } = world.client;
  const client = new Client({
    connection,
    namespace: options.namespace,
    interceptors: { workflow: [interceptor] },
  });
  const failing = new PaymentSessions(client, { taskQueue: world.taskQueue }).get(session.key);
  return { session: failing, times: () => asked };
}

test('a query that fails is asked again', async () => {
  const { session } = await failingFirst(2);
  expect(await session.state()).toMatchObject({ phase: 'open' });
  await session.cancelAndWait();
});

test('a query that always fails says so', async () => {
  const { session, times } = await failingFirst(Infinity);
  await expect(session.state()).rejects.toMatchObject({
    code: 'WORKER_UNAVAILABLE',
    message: expect.stringContaining('nobodyKnowsIt'),
  });
  expect(times()).toBeGreaterThanOrEqual(6);
  await world.client.workflow.getHandle(session.workflowId).cancel();
});
