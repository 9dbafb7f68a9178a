import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from '@jest/globals';
import type { RunningEngine } from '../../../engine';
import { startEngineOn } from '../../support/worlds/own-engine';
import { createWorld } from '../../support/worlds/world';
import { DEADLINES_MS, endAsTheServiceSays, openToBeLeft } from './left-alone';

/** So long after a deadline, an engine gives up what was to look at it: as soon as it is back. */
const GIVEN_UP_AFTER_MS = 62_000;
const MINUTES = 4 * 60_000;

test(
  'the service has the last word, although no Temporal server is there at the deadline and for a minute after',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-no-engine-'));
    const databaseFile = join(folder, 'engine.db');
    const engine = await startEngineOn({ databaseFile });
    const world = await createWorld({
      engineAddress: engine.address,
      sandbox: { idleExpiryMs: 3_600_000 },
    });
    let again: RunningEngine | undefined;
    try {
      const alone = await openToBeLeft(world);
      await engine.stop();
      alone.payorsAct();
      await sleep(DEADLINES_MS + GIVEN_UP_AFTER_MS);
      again = await startEngineOn({ databaseFile, port: Number(engine.address.split(':').at(-1)) });
      await endAsTheServiceSays(alone);
    } finally {
      await world.close();
      await (again ?? engine).stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  MINUTES,
);
