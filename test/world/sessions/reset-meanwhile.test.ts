import { expect, test } from '@jest/globals';
import { SessionFailedError } from '../../../src';
import { leftOpen } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

const world = useWorld();

const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;

async function hasUpdate(key: string): Promise<boolean> {
  const { events } = await fetchHistory(world.client, key);
  return events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null) === true;
}

test('a refresh whose session is reset while it is under way is answered by the new run', async () => {
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), SELDOM));
  const details = world.sandbox.hold('details', 'before');
  const refreshed = session.refresh({ by: 'the test' });
  await details.reached;
  await until(() => hasUpdate(session.key), Boolean);
  await resetRun(world.client, session.workflowId, -1);
  details.release();
  expect(await refreshed).toMatchObject({ phase: 'open', sessionId });
  await session.cancelAndWait();
});

test('one whose session is terminated meanwhile says that it was', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen(), SELDOM));
  const details = world.sandbox.hold('details', 'before');
  const refreshed = session.refresh({ by: 'the test' }).catch((error: unknown) => error);
  await details.reached;
  await until(() => hasUpdate(session.key), Boolean);
  await world.client.workflow.getHandle(session.workflowId).terminate('a test');
  details.release();
  const error = await refreshed;
  expect(error).toBeInstanceOf(SessionFailedError);
  expect(error).toMatchObject({ code: 'SESSION_TERMINATED' });
});
