import { test } from '@jest/globals';
import { useWorld } from '../../../support/worlds/use-world';
import { allGivenUp, endAsTheServiceSays, openToBeLeft } from '../../../support/workflows/follow/left-alone';

/** Deadlines and one more minute pass while no worker is running, on a real server and in real time. */
const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

const MINUTES = 4 * 60_000;

test(
  'a session ends as the service says, however late after its deadline a worker polls it',
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
