import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../../src';
import { runningCreate } from '../../../support/lost-create';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';
import { fetchHistory } from '../../../../testkit/histories/recorded-history';

/** A policy with so few polls that they do not disturb the test. */
const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const PARKS = { ...SELDOM, onUnknownCreate: 'park' } as const;
const FROZEN_WITHIN_MS = 150_000;
/** Within this time, Temporal times out the frozen worker’s create activity, and gives the worker’s tasks to another worker. */
const GIVEN_UP_WITHIN_MS = 180_000;

const world = useWorld();
let stopProcess: (() => void) | undefined;

afterAll(() => stopProcess?.());

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

async function activitiesOf(key: string): Promise<readonly string[]> {
  const { events } = await fetchHistory(world.client, key);
  return (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
}

const start = () => world.sessions.start(world.input(leftOpen(), PARKS));

/**
 * Starts two sessions, and freezes the worker while the second create request waits for its turn. Returns the second session, or
 * `undefined` if the worker may have sent its request before it froze.
 */
async function freezeWaiting(child: ChildProcess): Promise<PaymentSessionHandle | undefined> {
  const before = creates();
  const first = world.sandbox.hold('create', 'before');
  await start();
  await first.reached;
  // The first request has been sent before this start. Otherwise the second would wait for two turns, and so long a wait happens in
  // the workflow and not in the worker.
  const session = await start();
  const isSent = () => creates() > before + 1;
  const isWaiting = async () => {
    const create = await runningCreate(world.client, session.workflowId);
    return create?.isStarted === true && create.says === null;
  };
  await until(async () => isSent() || (await isWaiting()), Boolean);
  child.kill('SIGSTOP');
  // If the turn came just before the freeze, the worker has already recorded “about to send”.
  const isInTime = (await isWaiting()) && !isSent();
  first.release();
  if (isInTime) return session;
  child.kill('SIGCONT');
  return undefined;
}

test('if a worker freezes before it sends a create request, another worker sends it, and the first does not send it after it thaws', async () => {
  await world.stopWorker();
  // This worker makes a call every two seconds. It makes one every four seconds while the stopped worker still counts for half of
  // the calls. A create request waits in the worker for at most five seconds.
  const { child } = workerProcess(world, { PAYSESSION_CALLS_PER_SECOND: '0.5' });
  stopProcess = () => child.kill('SIGKILL');
  // On a busy machine, the turn may come before the freeze. Then this tries again.
  const frozen = await until(() => freezeWaiting(child), Boolean, FROZEN_WITHIN_MS);
  const before = creates();

  await world.startWorker();
  const activities = () => activitiesOf(frozen?.key ?? '');
  await until(activities, (names) => names.includes('followSession'), GIVEN_UP_WITHIN_MS);
  expect(creates()).toBe(before + 1);
  expect(await frozen?.state()).toMatchObject({ phase: 'open', anomalies: [] });

  await world.stopWorker();
  child.kill('SIGCONT');
  // A worker sends its create requests in order. So once it has sent this later request, it will not send the frozen one.
  await (await start()).opened();
  expect(creates()).toBe(before + 2);
}, 420_000);
