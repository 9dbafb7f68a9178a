import { expect, test } from '@jest/globals';
import { isPaysessionError } from '../../../src';
import { completing } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

test('a session that is deleted at Temporal leaves nothing to read, and its key is free', async () => {
  const input = world.input(completing());
  const { session } = await world.sessions.open(input);
  await session.result();
  const { workflowService, options } = world.client;
  const workflowExecution = { workflowId: session.workflowId };
  await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });

  const isGone = () =>
    session.state().then(
      () => false,
      (error: unknown) => isPaysessionError(error, 'SESSION_NOT_FOUND'),
    );
  await until(isGone, (gone) => gone, 120_000);
  await expect(session.stateHistory()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect((await world.sessions.start(input)).started).toEqual({ attached: false });
});
