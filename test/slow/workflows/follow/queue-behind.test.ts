import { test } from '@jest/globals';
import { useWorld } from '../../../support/worlds/use-world';
import { allGivenUp, endAsTheServiceSays, openToBeLeft } from '../../../support/workflows/follow/left-alone';

// No worker takes activities when the deadline passes, and for one more minute, as in a task queue that is behind. Workflows run.
const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

const MINUTES = 4 * 60_000;

test(
  'a session ends with the service’s final status, although no worker polls it until a minute after its deadline',
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
