import { expect, test } from '@jest/globals';
import { completing, eft } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld({ startsWorker: false });

test('a session whose deadline passes before a worker runs fails without a call to the payment service, and its key is free again', async () => {
  const input = world.input(eft(), { deadline: '2s' });
  const session = await world.sessions.start(input);
  await until(
    () => world.client.workflow.getHandle(session.workflowId).describe(),
    ({ startTime }) => Date.now() > startTime.getTime() + 2_000,
  );
  await world.startWorker();
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_DEADLINE_PASSED' });
  expect(world.sandbox.calls).toEqual([]);
  const again = await world.sessions.start({ ...world.input(completing()), key: input.key });
  expect(await again.result()).toMatchObject({ paid: true });
});
