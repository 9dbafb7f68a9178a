import { afterEach, expect, test } from '@jest/globals';
import { completing, leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

/** Returns the activities that were scheduled for a session, oldest first. */
async function activitiesOf(workflowId: string): Promise<readonly string[]> {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
}

/** Restarts the worker, so that it has no access token for the next session. */
async function withoutToken(): Promise<void> {
  await world.stopWorker();
  await world.startWorker();
}

test('a session needs no separate activity for the access token if the worker has one or gets one quickly', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  expect((await activitiesOf(session.workflowId))[0]).toBe('createSession');
  await session.cancelAndWait();
  expect(await activitiesOf(session.workflowId)).not.toContain('authenticate');
});

test('a separate activity waits for the token if the service issues it slowly', async () => {
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

test('a separate activity requests the token again if the first request fails', async () => {
  await withoutToken();
  world.sandbox.failNext('authorize', { kind: 'status', status: 503 });
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const activities = await activitiesOf(session.workflowId);
  expect(activities.slice(0, 3)).toEqual(['createSession', 'authenticate', 'createSession']);
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
});

test('a cancel during the wait for a slow token prevents the create request', async () => {
  await withoutToken();
  const createsBefore = world.sandbox.calls.filter(({ route }) => route === 'create').length;
  const authorize = world.sandbox.hold('authorize', 'before');
  const session = await world.sessions.start(world.input(leftOpen()));
  await authorize.reached;
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
  authorize.release();
  expect(world.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(createsBefore);
});
