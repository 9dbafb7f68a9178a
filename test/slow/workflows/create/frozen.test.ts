import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../../src';
import { runningCreate } from '../../../support/lost-create';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';
import { fetchHistory } from '../../../../testkit/histories/recorded-history';

/** Polls so rarely that polls do not disturb the tests. */
const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const PARKS = { ...SELDOM, onUnknownCreate: 'park' } as const;
const FROZEN_WITHIN_MS = 150_000;
/** Within this time, the Temporal server gives up the create activity, and the frozen worker with its cache and its open polls. */
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

/** Freezes a worker while a create request waits behind another one. Returns the waiting session, or `undefined` if it was too late. */
async function freezeWaiting(child: ChildProcess): Promise<PaymentSessionHandle | undefined> {
  const before = creates();
  const first = world.sandbox.hold('create', 'before');
  await start();
  await first.reached;
  // Started only now, because a create request that must wait for more than one turn waits in its workflow.
  const session = await start();
  const isOver = () => creates() > before + 1;
  const isWaiting = async () => {
    const create = await runningCreate(world.client, session.workflowId);
    return create?.isStarted === true && create.says === null;
  };
  await until(async () => isOver() || (await isWaiting()), Boolean);
  child.kill('SIGSTOP');
  // If its turn came while the worker was being frozen, the worker has recorded “about to send”.
  const isInTime = (await isWaiting()) && !isOver();
  first.release();
  if (isInTime) return session;
  child.kill('SIGCONT');
  return undefined;
}

test('a worker that froze before it sent a create request does not send it once it thaws, because another worker has done so', async () => {
  await world.stopWorker();
  // One call in two seconds, or in four while the stopped worker still has its share. A create request waits up to five in the worker.
  const { child } = workerProcess(world, { PAYSESSION_CALLS_PER_SECOND: '0.5' });
  stopProcess = () => child.kill('SIGKILL');
  // On a busy machine, the turn may come first.
  const frozen = await until(() => freezeWaiting(child), Boolean, FROZEN_WITHIN_MS);
  const before = creates();

  await world.startWorker();
  const activities = () => activitiesOf(frozen?.key ?? '');
  await until(activities, (names) => names.includes('followSession'), GIVEN_UP_WITHIN_MS);
  expect(creates()).toBe(before + 1);
  expect(await frozen?.state()).toMatchObject({ phase: 'open', anomalies: [] });

  await world.stopWorker();
  child.kill('SIGCONT');
  // The worker's create requests take turns. Once a later one has been sent, the frozen one is settled.
  await (await start()).opened();
  expect(creates()).toBe(before + 2);
}, 420_000);
