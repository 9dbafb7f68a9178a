import { expect, test } from '@jest/globals';
import { runningCreate } from '../../../support/lost-create';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
/** After this time without a heartbeat through the SDK, the SDK times out an activity. */
const SDK_WAITS_MS = 27_000;
const PATIENT = { headersTimeoutMs: 80_000, exchangeTimeoutMs: 80_000, callTimeoutMs: 80_000 };

const world = useWorld({ service: PATIENT });

test('a create request that takes longer than the SDK’s heartbeat limit is sent once, and its result arrives', async () => {
  const create = world.sandbox.hold('create', 'before');
  const session = await world.sessions.start(world.input(leftOpen(), SELDOM));
  await create.reached;
  const readCreate = () => runningCreate(world.client, session.workflowId);
  const first = await readCreate();
  await until(readCreate, (now) => (now?.saidAtMs ?? 0) > (first?.saidAtMs ?? 0) + SDK_WAITS_MS, 60_000);
  create.release();
  await session.opened();
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const scheduled = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  expect(scheduled?.filter((name) => name === 'createSession')).toHaveLength(1);
  expect(await session.state()).toMatchObject({ phase: 'open', anomalies: [] });
  await session.cancelAndWait();
});
