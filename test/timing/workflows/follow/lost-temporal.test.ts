import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { withLosableTemporal } from '../../../support/worlds/losable-temporal';
import {
  completeAll,
  HEARTBEAT_TIMEOUT_MS,
  MARGIN_MS,
  openMany,
  SESSIONS,
} from '../../../support/workflows/follow/many-open';

const TEMPORAL_LOST_MS = 20_000;

test(
  'open sessions complete after the Temporal server was lost for twenty seconds',
  () =>
    withLosableTemporal({}, async (own, temporal) => {
      const opened = await openMany(own, SESSIONS);
      await temporal.lose();
      await sleep(TEMPORAL_LOST_MS);
      await temporal.bringBack();
      expect(await completeAll(own, opened)).toBeLessThanOrEqual(HEARTBEAT_TIMEOUT_MS + MARGIN_MS);
    }),
  4 * HEARTBEAT_TIMEOUT_MS,
);
