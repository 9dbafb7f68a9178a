import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy } from '../../../src';
import { startEngine, type RunningEngine } from '../../../engine';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { workerProcess } from '../../support/worlds/worker-process';
import { useWorld } from '../../support/worlds/use-world';
import { createWorld, type World } from '../../support/worlds/world';

/** What happens to open sessions when the worker that has them in hand goes, or the engine. */

const POLL_MS = 2_000;
const POLICY: SessionPolicy = { fastestPoll: POLL_MS };
/** The news of a lost worker's sessions is late by three polls, or by this where it is longer. */
const GUARD_MS = 30_000;
/** To start again, and to poll two hundred sessions. */
const MARGIN_MS = 10_000;

interface Opened {
  readonly session: PaymentSessionHandle;
  readonly sessionId: string;
}

const AT_ONCE = 20;

async function openMany(world: World, count: number): Promise<Opened[]> {
  const opened: Opened[] = [];
  const open = () => world.sessions.open(world.input(leftOpen(), POLICY));
  while (opened.length < count) opened.push(...(await Promise.all(Array.from({ length: AT_ONCE }, open))));
  await polled(world, opened, new Date());
  return opened;
}

/** Waits until each session has been polled since then. The sandbox keeps its latest calls only: more than one for each. */
async function polled(world: World, opened: readonly Opened[], since: Date): Promise<void> {
  const polledSince = () => {
    const calls = world.sandbox.calls.filter(({ at }) => Date.parse(at) >= since.getTime());
    const ids = new Set(calls.map(({ sessionId }) => sessionId));
    return opened.filter(({ sessionId }) => ids.has(sessionId)).length;
  };
  await until(
    () => Promise.resolve(polledSince()),
    (count) => count === opened.length,
  );
}

/** The payors pay now; gives how long it takes until the last session has ended, in milliseconds. */
async function completeAll(world: World, opened: readonly Opened[]): Promise<number> {
  const paidAt = performance.now();
  for (const { sessionId } of opened) world.payor(sessionId).completes();
  const results = await Promise.all(opened.map(({ session }) => session.result()));
  for (const { stateHistory, anomalies } of results) {
    expect(stateHistory.map(({ code }) => code)).toEqual(['EFT0101', 'EFT0301']);
    expect(anomalies).toEqual([]);
  }
  return performance.now() - paidAt;
}

const SESSIONS = 200;
const world = useWorld();

test('a worker that stops hands its sessions over at once', async () => {
  const opened = await openMany(world, SESSIONS);
  const second = workerProcess(world);
  await second.line(/^working/);
  try {
    await world.stopWorker();
    await polled(world, opened, new Date());
    expect(await completeAll(world, opened)).toBeLessThanOrEqual(POLL_MS + MARGIN_MS);
  } finally {
    second.child.kill('SIGKILL');
    await world.startWorker();
  }
});

test(
  'the sessions of a worker that is killed are followed by another',
  async () => {
    const doomed = workerProcess(world);
    await doomed.line(/^working/);
    await world.stopWorker();
    const opened = await openMany(world, SESSIONS).finally(() => doomed.child.kill('SIGKILL'));
    await world.startWorker();
    expect(await completeAll(world, opened)).toBeLessThanOrEqual(GUARD_MS + MARGIN_MS);
  },
  3 * GUARD_MS,
);

const ENGINE_LOST_MS = 20_000;

test(
  'open sessions outlast an engine that is gone for a while',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-lost-engine-'));
    const databaseFile = join(folder, 'engine.db');
    const engine = await startOwn({ databaseFile });
    const port = Number(engine.address.split(':').at(-1));
    const own = await createWorld({ engineAddress: engine.address });
    let again: RunningEngine | undefined;
    try {
      const opened = await openMany(own, SESSIONS);
      await engine.stop();
      await sleep(ENGINE_LOST_MS);
      again = await startOwn({ databaseFile, port });
      expect(await completeAll(own, opened)).toBeLessThanOrEqual(GUARD_MS + MARGIN_MS);
    } finally {
      await own.close();
      await again?.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  4 * GUARD_MS,
);

function startOwn(options: {
  readonly databaseFile: string;
  readonly port?: number;
}): Promise<RunningEngine> {
  const executable = process.env['PAYSESSION_TEST_ENGINE_EXECUTABLE'];
  if (executable === undefined) throw new Error('needs an engine of its own: unset TEMPORAL_ADDRESS');
  return startEngine({ executable, searchAttributes: Object.values(SEARCH_ATTRIBUTES), ...options });
}
