import { afterEach, expect, test } from '@jest/globals';
import { completing, leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

/** Each activity that was scheduled for a session, oldest first. */
async function activitiesOf(workflowId: string): Promise<readonly string[]> {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
}

/** The next session's worker has no token. */
async function withoutToken(): Promise<void> {
  await world.stopWorker();
  await world.startWorker();
}

test('a token that the worker has, or gets at once, costs the session no activity of its own', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  expect((await activitiesOf(session.workflowId))[0]).toBe('createSession');
  await session.cancelAndWait();
  expect(await activitiesOf(session.workflowId)).not.toContain('authenticate');
});

test('a service that is slow to give a token is waited for by an activity of its own', async () => {
  await withoutToken();
  const authorize = world.sandbox.hold('authorize', 'before');
  const session = await world.sessions.start(world.input(completing()));
  await authorize.reached;
  await until(
    () => activitiesOf(session.workflowId),
    (activities) => activities.includes('authenticate'),
  );
  expect(await session.state()).toMatchObject({ phase: 'creating' });
  authorize.release();
  expect(await session.result()).toMatchObject({ paid: true, anomalies: [] });
});

test('a passing fault of the token is repeated by an activity of its own, and shows no trouble', async () => {
  await withoutToken();
  world.sandbox.failNext('authorize', { kind: 'status', status: 503 });
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const activities = await activitiesOf(session.workflowId);
  expect(activities.slice(0, 3)).toEqual(['createSession', 'authenticate', 'createSession']);
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
});

test('a cancel while the service is slow to give a token keeps anything from being created', async () => {
  await withoutToken();
  const createsBefore = world.sandbox.calls.filter(({ route }) => route === 'create').length;
  const authorize = world.sandbox.hold('authorize', 'before');
  const session = await world.sessions.start(world.input(leftOpen()));
  await authorize.reached;
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
  authorize.release();
  expect(world.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(createsBefore);
});
