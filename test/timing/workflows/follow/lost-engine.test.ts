import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { withLosableEngine } from '../../../support/worlds/losable-engine';
import {
  completeAll,
  GUARD_MS,
  MARGIN_MS,
  openMany,
  SESSIONS,
} from '../../../support/workflows/follow/many-open';

const ENGINE_LOST_MS = 20_000;

test(
  'open sessions outlast an engine that is gone for a while',
  () =>
    withLosableEngine({}, async (own, engine) => {
      const opened = await openMany(own, SESSIONS);
      await engine.lose();
      await sleep(ENGINE_LOST_MS);
      await engine.bringBack();
      expect(await completeAll(own, opened)).toBeLessThanOrEqual(GUARD_MS + MARGIN_MS);
    }),
  4 * GUARD_MS,
);
