import { setTimeout as sleep } from 'node:timers/promises';
import { test } from '@jest/globals';
import { withLosableTemporal } from '../../../support/worlds/losable-temporal';
import {
  DEADLINES_MS,
  endAsTheServiceSays,
  openToBeLeft,
} from '../../../support/workflows/follow/left-alone';

/** This long after a deadline, a Temporal server that comes back immediately times out the activity for the poll at the deadline. */
const GIVEN_UP_AFTER_MS = 62_000;
const MINUTES = 4 * 60_000;

test(
  'a session ends with the service’s final status, although no Temporal server runs at its deadline and for a minute after',
  () =>
    withLosableTemporal({ sandbox: { idleExpiryMs: 3_600_000 } }, async (world, temporal) => {
      const alone = await openToBeLeft(world);
      await temporal.lose();
      alone.payorsAct();
      await sleep(DEADLINES_MS + GIVEN_UP_AFTER_MS);
      await temporal.bringBack();
      await endAsTheServiceSays(alone);
    }),
  MINUTES,
);
