import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setCurrentVersion, versionOf } from '../support/deployments';
import { unpackEarlierBundles } from '../support/earlier-bundles';
import { park } from '../support/park';
import { completing, leftOpen } from '../support/requests';
import { stateOf, until } from '../support/wait';
import { useWorld } from '../support/worlds/use-world';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import { replayHistories } from '../../testkit';

const world = useWorld();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-bundles-'));
  await world.stopWorker();
});

afterEach(() => world.stopWorker());

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('sessions of every earlier version go on with the current code', async () => {
  const bundles = await unpackEarlierBundles(folder);
  expect(bundles).not.toEqual([]);
  for (const bundlePath of bundles) {
    await world.startWorker({ bundlePath });
    const { session: parked } = await park(world, completing());
    const followed = await world.sessions.open(world.input(leftOpen()));
    const cancelled = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    await world.startWorker();
    world.payor(followed.sessionId).completes();
    expect(await followed.session.result()).toMatchObject({
      status: 'Completed',
      code: 'EFT0301',
      anomalies: [],
    });
    expect(await cancelled.session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    await parked.resolveCreate({ retry: true });
    expect(await parked.result()).toMatchObject({
      status: 'Completed',
      anomalies: [{ kind: 'possibleOrphan' }],
    });
    await world.stopWorker();
  }
});

test('a refresh that has waited for a cancel since an earlier version is answered by the current code', async () => {
  const cancels = () => Promise.resolve(world.sandbox.calls.filter(({ route }) => route === 'cancel').length);
  for (const bundlePath of await unpackEarlierBundles(folder)) {
    await world.startWorker({ bundlePath });
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const { workflowId } = session;
    const history = () => world.client.workflow.getHandle(workflowId).fetchHistory();
    world.sandbox.failNext('cancel', { kind: 'status', status: 503 }, 1_000);
    const before = await cancels();
    await session.cancel();
    await until(cancels, (count) => count >= before + 2);
    const refreshed = session.refresh();
    await until(history, ({ events }) =>
      (events ?? []).some((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null),
    );
    const made = await cancels();
    await until(cancels, (count) => count > made);
    await world.stopWorker();
    await world.startWorker();
    world.sandbox.clearFaults();
    expect(await refreshed).toMatchObject({ phase: 'ended', cancel: { outcome: 'cancelled' } });
    const recorded = { name: session.key, history: await history() };
    expect((await replayHistories([recorded])).divergences).toEqual([]);
    await world.stopWorker();
  }
});

test('news that an earlier version looked at once more, as a refresh had come between, replays with the current code', async () => {
  for (const bundlePath of await unpackEarlierBundles(folder)) {
    await world.startWorker({ bundlePath });
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await session.refresh();
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
    const history = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
    expect((await replayHistories([{ name: session.key, history }])).divergences).toEqual([]);
    await world.stopWorker();
  }
});

test('a session that an earlier version took with a misspelt field is created as it was taken', async () => {
  const { client, taskQueue } = world;
  for (const bundlePath of await unpackEarlierBundles(folder)) {
    await world.startWorker({ bundlePath });
    const { key, request, ...rest } = world.input(completing());
    world.sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '1' }, 1_000);
    // As other SDKs start it: this version's client refuses the field.
    const workflowId = `${WORKFLOW_ID_PREFIX}${key}`;
    const args = [{ key, request: { ...request, amont: 25 }, ...rest }];
    const workflow = await client.workflow.start('paymentSession', { workflowId, taskQueue, args });
    await stateOf(world.sessions.get(key), ({ trouble }) => trouble !== undefined);
    await world.stopWorker();
    await world.startWorker();
    world.sandbox.clearFaults();
    expect(await workflow.result()).toMatchObject({ status: 'Completed', anomalies: [] });
    const recorded = { name: key, history: await workflow.fetchHistory() };
    expect((await replayHistories([recorded])).divergences).toEqual([]);
    await world.stopWorker();
  }
});

describe('a versioned worker', () => {
  const name = `payments-${randomUUID()}`;

  test('takes over the open sessions of the version before once it is the current one', async () => {
    await world.startWorker({ deployment: { name, buildId: 'v1' } });
    await setCurrentVersion(world, { name, buildId: 'v1' });
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    await world.startWorker({ deployment: { name, buildId: 'v2' } });
    await setCurrentVersion(world, { name, buildId: 'v2' });
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0301' });
    expect(await versionOf(world, session)).toBe('v2');
  });
});
