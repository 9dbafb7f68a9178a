import { test } from '@jest/globals';
import { useWorld } from '../../../support/worlds/use-world';
import { allGivenUp, endAsTheServiceSays, openToBeLeft } from '../../../support/workflows/follow/left-alone';

// No worker runs when the deadline passes, and for one more minute. The test uses a real server and real time.
const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

const MINUTES = 4 * 60_000;

test(
  'a session ends with the service’s final status, although no worker runs at its deadline and for a minute after',
  async () => {
    const alone = await openToBeLeft(world);
    await world.stopWorker();
    alone.payorsAct();
    await allGivenUp(world, alone);
    await world.startWorker();
    await endAsTheServiceSays(alone);
  },
  MINUTES,
);
