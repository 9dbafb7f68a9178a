import { afterEach, expect, test } from '@jest/globals';
import { completing, leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

/** What a session's history holds: each activity that was scheduled, and how many events of each type. */
async function historyOf(workflowId: string) {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
  const markers = (events ?? []).filter((event) => event.markerRecordedEventAttributes != null).length;
  return { scheduled, markers };
}

/** The next session's worker has no token. */
async function withoutToken(): Promise<void> {
  await world.stopWorker();
  await world.startWorker();
}

test('a token that the worker has, or gets at once, costs the session no activity task', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const { scheduled, markers } = await historyOf(session.workflowId);
  expect(scheduled[0]).toBe('createSession');
  expect(scheduled).not.toContain('authenticate');
  expect(markers).toBe(1);
  await session.cancelAndWait();
});

test('a service that is slow to give a token is waited for by an activity', async () => {
  await withoutToken();
  const authorize = world.sandbox.hold('authorize', 'before');
  const session = await world.sessions.start(world.input(completing()));
  await authorize.reached;
  await until(
    () => historyOf(session.workflowId),
    ({ scheduled }) => scheduled.includes('authenticate'),
  );
  expect(await session.state()).toMatchObject({ phase: 'creating' });
  authorize.release();
  expect(await session.result()).toMatchObject({ paid: true, anomalies: [] });
});

test('a passing fault of the token is repeated by an activity, and shows no trouble', async () => {
  await withoutToken();
  world.sandbox.failNext('authorize', { kind: 'status', status: 503 });
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const { scheduled } = await historyOf(session.workflowId);
  expect(scheduled.slice(0, 2)).toEqual(['authenticate', 'createSession']);
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
