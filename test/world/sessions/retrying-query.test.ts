import { expect, test } from '@jest/globals';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { openThrough } from '../../support/open-through';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

/** Opens a session with a client whose first `queries` queries fail. */
async function failingFirst(queries: number) {
  let asked = 0;
  const interceptor: WorkflowClientInterceptor = {
    query: (input, next) => {
      asked += 1;
      return next(asked > queries ? input : { ...input, queryType: 'nobodyKnowsIt' });
    },
  };
  return { session: await openThrough(world, interceptor), times: () => asked };
}

test('the client repeats a failed query of a session', async () => {
  const { session } = await failingFirst(2);
  expect(await session.state()).toMatchObject({ phase: 'open' });
  await session.cancelAndWait();
});

test('if the query of a session always fails, the client throws WORKER_UNAVAILABLE with the reason', async () => {
  const { session, times } = await failingFirst(Infinity);
  await expect(session.state()).rejects.toMatchObject({
    code: 'WORKER_UNAVAILABLE',
    message: expect.stringContaining('nobodyKnowsIt'),
  });
  expect(times()).toBeGreaterThanOrEqual(6);
  await world.client.workflow.getHandle(session.workflowId).cancel();
});
