import { test } from '@jest/globals';
import { useWorld } from '../../../support/worlds/use-world';
import { allGivenUp, endAsTheServiceSays, openToBeLeft } from '../../../support/workflows/follow/left-alone';

/** Deadlines that pass, and a minute after them, while the task queue is behind: workflows go on, and no activity is taken. */
const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

const MINUTES = 4 * 60_000;

test(
  'the service has the last word, although no worker polls it for a minute after the deadline',
  async () => {
    const alone = await openToBeLeft(world);
    await world.stopWorker();
    alone.payorsAct();
    await world.startWorker({ takesActivities: false });
    await allGivenUp(world, alone);
    await world.stopWorker();
    await world.startWorker();
    await endAsTheServiceSays(alone);
  },
  MINUTES,
);
