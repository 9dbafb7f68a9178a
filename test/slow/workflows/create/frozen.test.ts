import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../../src';
import { runningCreate } from '../../../support/lost-create';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';
import { fetchHistory } from '../../../../testkit/histories/recorded-history';

/** Its polls do not disturb. */
const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const PARKS = { ...SELDOM, onUnknownCreate: 'park' } as const;
const FROZEN_WITHIN_MS = 150_000;
/** Until the Temporal server gives the create up, and the frozen worker with its cache and with the polls that it left open. */
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

/** Freezes a worker while a create waits for its turn behind one that is being sent; `undefined` where it was too late. */
async function freezeWaiting(child: ChildProcess): Promise<PaymentSessionHandle | undefined> {
  const before = creates();
  const first = world.sandbox.hold('create', 'before');
  await start();
  await first.reached;
  // Only now: a create that has more than one turn to wait does so in its workflow.
  const session = await start();
  const isOver = () => creates() > before + 1;
  const isWaiting = async () => {
    const create = await runningCreate(world.client, session.workflowId);
    return create?.isStarted === true && create.says === null;
  };
  await until(async () => isOver() || (await isWaiting()), Boolean);
  child.kill('SIGSTOP');
  // Its turn may have come while it was being frozen: then it is on record that it is about to send.
  const isInTime = (await isWaiting()) && !isOver();
  first.release();
  if (isInTime) return session;
  child.kill('SIGCONT');
  return undefined;
}

test('a worker that froze before it sent a create sends nothing once it thaws: another one has created since', async () => {
  await world.stopWorker();
  // One call in two seconds, or in four as long as the stopped worker still counts for its share: a create waits up to five in the worker.
  const { child } = workerProcess(world, { PAYSESSION_CALLS_PER_SECOND: '0.5' });
  stopProcess = () => child.kill('SIGKILL');
  // A machine that is busy may let the turn come first.
  const frozen = await until(() => freezeWaiting(child), Boolean, FROZEN_WITHIN_MS);
  const before = creates();

  await world.startWorker();
  const activities = () => activitiesOf(frozen?.key ?? '');
  await until(activities, (names) => names.includes('followSession'), GIVEN_UP_WITHIN_MS);
  expect(creates()).toBe(before + 1);
  expect(await frozen?.state()).toMatchObject({ phase: 'open', anomalies: [] });

  await world.stopWorker();
  child.kill('SIGCONT');
  // Its creates take turns: when a later one has been sent, the one that it froze with is settled.
  await (await start()).opened();
  expect(creates()).toBe(before + 2);
}, 420_000);
