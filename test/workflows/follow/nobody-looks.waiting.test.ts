import { test } from '@jest/globals';
import { useWorld } from '../../support/worlds/use-world';
import { endAsTheServiceSays, isGivenUp, openToBeLeft } from './left-alone';

/** Deadlines that pass, and a minute after them, while no worker is there: on a real server, in real time. */
const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

const MINUTES = 4 * 60_000;

test(
  'the service has the last word, however late somebody comes back to ask',
  async () => {
    const alone = await openToBeLeft(world);
    const { signed, unsigned, completed, left } = alone;
    await world.stopWorker();
    alone.payorsAct();
    await Promise.all([signed, unsigned, completed, left].map((session) => isGivenUp(world, session)));
    await world.startWorker();
    await endAsTheServiceSays(alone);
  },
  MINUTES,
);
