import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepLedger } from '../../ledger';
import { replayHistories } from '../../testkit';
import { fetchHistory } from '../../testkit/fetch-history';
import { unpackEarlierBundles } from '../support/earlier-bundles';
import { endCreate } from '../support/lost-create';
import { park } from '../support/park';
import { completing, leftOpen } from '../support/requests';
import { resetRun } from '../support/reset-run';
import { testBundle } from '../support/setup/global-values';
import { stateOf } from '../support/wait';
import { ledgerWorld } from './support/ledger-world';
import { closesLater } from './support/test-ledger';

const BEGAN = new Date();

/** The workflow code of version 0.1.0. */
async function earlierBundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-earlier-'));
  closesLater(() => {
    rmSync(folder, { recursive: true });
    return Promise.resolve();
  });
  const [bundlePath = ''] = await unpackEarlierBundles(folder);
  return bundlePath;
}

/** Workflows run as version 0.1.0 has them, and their creates on a worker with a ledger: as while a new version is rolled out. */
async function mixedWorld() {
  const world = await ledgerWorld({ startsWorker: false });
  await world.startWorker({ bundlePath: await earlierBundle() });
  return world;
}

test('a session that an earlier version has parked goes on in this one', async () => {
  const world = await mixedWorld();
  const create = world.sandbox.hold('create', 'after');
  const session = await world.sessions.start(world.input(leftOpen(), { onUnknownCreate: 'park' }));
  await create.reached;
  await endCreate(world.client, session.workflowId);
  await stateOf(session, ({ phase }) => phase === 'parked');
  create.release();
  await world.stopWorker();
  await world.startWorker();
  await session.resolveCreate({ abandon: true });
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  const { events } = await fetchHistory(world.client, session.key);
  expect(events?.filter((event) => event.workflowTaskFailedEventAttributes != null)).toEqual([]);
});

test('sessions that an earlier version has ended replay, and those that it has opened go on', async () => {
  const world = await mixedWorld();
  const ended = await world.sessions.start(world.input(completing()));
  await ended.result();
  const open = await world.sessions.open(world.input(leftOpen()));
  await world.stopWorker();
  await world.startWorker();
  world.payor(open.sessionId).completes();
  expect(await open.session.result()).toMatchObject({ paid: true });
  const history = await fetchHistory(world.client, ended.key);
  const { divergences } = await replayHistories([{ name: ended.key, history }], { bundlePath: testBundle() });
  expect(divergences).toEqual([]);
});

test('a session that an earlier version runs keeps its key when its run is reset', async () => {
  const world = await mixedWorld();
  world.sandbox.failNext('create', { kind: 'reset', phase: 'before' });
  const session = await world.sessions.start(world.input(completing(), { onUnknownCreate: 'park' }));
  await stateOf(session, ({ phase }) => phase === 'parked');
  await resetRun(world.client, session.workflowId, 0, { isTold: false });
  expect(await session.result()).toMatchObject({ paid: true });
  // Sessions of other tests may be unreadable.
  for await (const { key, isUnreadable } of sweepLedger({ ...world, endedAfter: BEGAN }))
    if (key === session.key) expect(isUnreadable).toBeUndefined();
  const kinds = (await world.factsOf(session)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'claimed')).toHaveLength(1);
  expect(kinds.at(-1)).toBe('ended');
});

test('sessions that stand on the ledger, ended or parked, replay in an earlier version: after a roll back', async () => {
  const world = await ledgerWorld();
  const ended = await world.sessions.start(world.input(completing()));
  expect(await ended.result()).toMatchObject({ paid: true });
  const { session: parked } = await park(world);
  expect((await world.factsOf(parked)).at(-1)).toMatchObject({ kind: 'parked' });
  const histories = await Promise.all(
    [ended, parked].map(async ({ key }) => ({ name: key, history: await fetchHistory(world.client, key) })),
  );
  const { divergences } = await replayHistories(histories, { bundlePath: await earlierBundle() });
  expect(divergences).toEqual([]);
  await parked.resolveCreate({ abandon: true });
});
