import { setTimeout as sleep } from 'node:timers/promises';
import { test } from '@jest/globals';
import { withLosableEngine } from '../../../support/worlds/losable-engine';
import {
  DEADLINES_MS,
  endAsTheServiceSays,
  openToBeLeft,
} from '../../../support/workflows/follow/left-alone';

/** So long after a deadline, an engine gives up what was to look at it: as soon as it is back. */
const GIVEN_UP_AFTER_MS = 62_000;
const MINUTES = 4 * 60_000;

test(
  'the service has the last word, although no Temporal server is there at the deadline and for a minute after',
  () =>
    withLosableEngine({ sandbox: { idleExpiryMs: 3_600_000 } }, async (world, engine) => {
      const alone = await openToBeLeft(world);
      await engine.lose();
      alone.payorsAct();
      await sleep(DEADLINES_MS + GIVEN_UP_AFTER_MS);
      await engine.bringBack();
      await endAsTheServiceSays(alone);
    }),
  MINUTES,
);
