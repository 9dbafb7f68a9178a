import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { setCurrentVersion, versionOf } from '../../test/support/deployments';
import { unpackReleasedBundles } from '../../test/support/earlier-bundles';
import { park } from '../../test/support/park';
import { completing, leftOpen } from '../../test/support/requests';
import { testBundle } from '../../test/support/setup/global-values';
import { until } from '../../test/support/wait';
import { workerProcess } from '../../test/support/worlds/worker-process';
import { countCreates, expectAsAudited, openMany, payAll } from './support/many-sessions';
import { useCluster, useWorldOn } from './support/use-cluster';

const cluster = useCluster();
const world = useWorldOn(cluster);

test('on a cluster, a session is listed by its status while it is open, and ends when the payor pays', async () => {
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
  const found = async () => {
    const keys: string[] = [];
    for await (const { key } of world.sessions.list({ status: 'Initiated', running: true })) keys.push(key);
    return keys;
  };
  await until(found, (keys) => keys.includes(session.key));
  world.payor(sessionId).completes();
  const { stateHistory, paid } = await session.result();
  expect(stateHistory.map(({ code }) => code)).toEqual(['EFT0101', 'EFT0301']);
  expect(paid).toBe(true);
});

test('on a cluster, a cancellation ends an open session at the payment service', async () => {
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  expect(await session.result()).toMatchObject({ status: 'Cancelled', paid: false });
  expect(world.sandbox.session(sessionId)).toMatchObject({ state: { status: 'Cancelled' } });
});

describe('on a cluster, a session whose create request gets no answer', () => {
  test('waits for an operator if its policy is to park', async () => {
    const createsBefore = countCreates(world);
    const { session, lost } = await park(world, leftOpen());
    await session.resolveCreate({ sessionId: lost });
    world.payor(lost).completes();
    expect(await session.result()).toMatchObject({ sessionId: lost, paid: true });
    expect(countCreates(world) - createsBefore).toBe(1);
  });

  test('sends another create request and records a possible orphan if its policy is to retry', async () => {
    const createsBefore = countCreates(world);
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(world.input(completing(), { onUnknownCreate: 'retry' }));
    expect(await session.result()).toMatchObject({
      paid: true,
      anomalies: [{ kind: 'possibleOrphan' }],
    });
    expect(countCreates(world) - createsBefore).toBe(2);
  });
});

describe('on a cluster with two workers', () => {
  afterEach(() => world.startWorker());

  test('if one worker is killed, the other one takes over its sessions', async () => {
    const workers = [workerProcess(world), workerProcess(world)];
    try {
      await Promise.all(workers.map((worker) => worker.line(/^working/)));
      await world.stopWorker();
      const opened = await openMany(world, 60);
      workers[0]?.child.kill('SIGKILL');
      payAll(world, opened);
      await expectAsAudited(world, opened);
    } finally {
      for (const { child } of workers) child.kill('SIGKILL');
    }
  });

  test('open sessions move from the old worker’s version to the new one, although a node is lost meanwhile', async () => {
    const createsBefore = countCreates(world);
    const folder = await mkdtemp(join(tmpdir(), 'paysession-bundles-'));
    const name = `payments-${randomUUID()}`;
    // Before the first release, both versions have the current code.
    const [earlier = testBundle()] = await unpackReleasedBundles(folder);
    await world.stopWorker();
    await world.startWorker({ bundlePath: earlier, deployment: { name, buildId: 'earlier' } });
    const current = workerProcess(world, {
      TEMPORAL_DEPLOYMENT_NAME: name,
      TEMPORAL_WORKER_BUILD_ID: 'current',
    });
    try {
      await current.line(/^working/);
      await setCurrentVersion(world, { name, buildId: 'earlier' });
      const opened = await openMany(world, 20);
      for (const { session } of opened) expect(await versionOf(world, session)).toBe('earlier');
      await cluster.killNode('history-1');
      const changed = setCurrentVersion(world, { name, buildId: 'current' });
      payAll(world, opened.slice(0, 10));
      await cluster.startNode('history-1');
      await changed;
      payAll(world, opened.slice(10));
      await expectAsAudited(world, opened);
      expect(countCreates(world) - createsBefore).toBe(20);
      for (const { session } of opened) expect(await versionOf(world, session)).toBe('current');
    } finally {
      current.child.kill('SIGKILL');
      await world.stopWorker();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
