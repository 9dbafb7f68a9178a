import { afterAll, expect, test } from '@jest/globals';
import { fetchHistory } from '../../../testkit/fetch-history';
import { runningCreate } from '../../support/lost-create';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { workerProcess } from '../../support/worlds/worker-process';
import { useWorld } from '../../support/worlds/use-world';

/** Its polls do not disturb. */
const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const PARKS = { ...SELDOM, onUnknownCreate: 'park' } as const;
/** Until the engine gives the create up, and the frozen worker with what it has in its cache. */
const GIVEN_UP_WITHIN_MS = 90_000;

const world = useWorld();
let stopProcess: (() => void) | undefined;

afterAll(() => stopProcess?.());

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

async function isFollowed(key: string): Promise<boolean> {
  const { events } = await fetchHistory(world.client, key);
  return (
    events?.some(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'followSession',
    ) === true
  );
}

test('a worker that froze before it sent a create sends nothing once it thaws: another one has created since', async () => {
  await world.stopWorker();
  // One call in four seconds: the second of two creates waits in the worker for its turn.
  const { child } = workerProcess(world, { PAYSESSION_CALLS_PER_SECOND: '0.25' });
  stopProcess = () => child.kill('SIGKILL');
  const firstCreate = world.sandbox.hold('create', 'before');
  const start = () => world.sessions.start(world.input(leftOpen(), PARKS));
  const sessions = await Promise.all([start(), start()]);
  await firstCreate.reached;
  const waiting = async () => {
    const found = await Promise.all(
      sessions.map(({ workflowId }) => runningCreate(world.client, workflowId)),
    );
    return sessions[found.findIndex((create) => create?.isStarted === true && create.says === null)];
  };
  const frozen = await until(waiting, Boolean);
  child.kill('SIGSTOP');
  expect(creates()).toBe(1);
  firstCreate.release();

  await world.startWorker();
  await until(() => isFollowed(frozen?.key ?? ''), Boolean, GIVEN_UP_WITHIN_MS);
  expect(creates()).toBe(2);
  expect(await frozen?.state()).toMatchObject({ phase: 'open', anomalies: [] });

  await world.stopWorker();
  child.kill('SIGCONT');
  // Its creates take turns: when a later one has been sent, the one that it froze with is settled.
  await (await start()).opened();
  expect(creates()).toBe(3);
}, 180_000);
