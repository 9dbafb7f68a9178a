import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { RunningEngine } from '../../../engine';
import { startEngineOn } from '../../support/worlds/own-engine';
import { createWorld } from '../../support/worlds/world';
import { completeAll, GUARD_MS, MARGIN_MS, openMany, SESSIONS } from './many-open';

const ENGINE_LOST_MS = 20_000;

test(
  'open sessions outlast an engine that is gone for a while',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-lost-engine-'));
    const databaseFile = join(folder, 'engine.db');
    const engine = await startEngineOn({ databaseFile });
    const port = Number(engine.address.split(':').at(-1));
    const own = await createWorld({ engineAddress: engine.address });
    let again: RunningEngine | undefined;
    try {
      const opened = await openMany(own, SESSIONS);
      await engine.stop();
      await sleep(ENGINE_LOST_MS);
      again = await startEngineOn({ databaseFile, port });
      expect(await completeAll(own, opened)).toBeLessThanOrEqual(GUARD_MS + MARGIN_MS);
    } finally {
      await own.close();
      await again?.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  4 * GUARD_MS,
);
