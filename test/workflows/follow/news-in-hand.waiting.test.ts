import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { RunningEngine } from '../../../engine';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { startEngineOn } from '../../support/worlds/own-engine';
import { createWorld } from '../../support/worlds/world';

/** Longer than an engine waits for a heartbeat. */
const AWAY_MS = 80_000;
const MINUTES = 4 * 60_000;

test(
  'what a worker saw while no Temporal server was there is reported, although the service is away by then',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-news-in-hand-'));
    const databaseFile = join(folder, 'engine.db');
    const engine = await startEngineOn({ databaseFile });
    const world = await createWorld({ engineAddress: engine.address });
    let again: RunningEngine | undefined;
    try {
      const { session, sessionId } = await world.sessions.open(
        world.input(leftOpen(), { fastestPoll: '1s', slowestPoll: '1s' }),
      );
      await engine.stop();
      world.payor(sessionId).completes();
      const looks = () => world.sandbox.calls.filter(({ route }) => route === 'details').length;
      const before = looks();
      await until(
        () => Promise.resolve(looks()),
        (now) => now > before,
      );
      await world.sandbox.close();
      await sleep(AWAY_MS);
      again = await startEngineOn({ databaseFile, port: Number(engine.address.split(':').at(-1)) });
      const { workflow } = world.client;
      await until(
        () => workflow.getHandle(session.workflowId).describe(),
        ({ status }) => status.name !== 'RUNNING',
      );
      expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
    } finally {
      await world.close();
      await (again ?? engine).stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  MINUTES,
);
