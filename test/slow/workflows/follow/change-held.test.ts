import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { withLosableTemporal } from '../../../support/worlds/losable-temporal';

/** Longer than the heartbeat timeout of the poll activity. */
const AWAY_MS = 80_000;
const MINUTES = 4 * 60_000;

test(
  'if a worker sees a change while Temporal is away, it reports the change later, although the payment service is down then',
  () =>
    withLosableTemporal({}, async (world, temporal) => {
      const { session, sessionId } = await world.sessions.open(
        world.input(leftOpen(), { fastestPoll: '1s', slowestPoll: '1s' }),
      );
      await temporal.lose();
      world.payor(sessionId).completes();
      const polls = () => world.sandbox.calls.filter(({ route }) => route === 'details').length;
      const before = polls();
      await until(
        () => Promise.resolve(polls()),
        (now) => now > before,
      );
      await world.sandbox.close();
      await sleep(AWAY_MS);
      await temporal.bringBack();
      const { workflow } = world.client;
      await until(
        () => workflow.getHandle(session.workflowId).describe(),
        ({ status }) => status.name !== 'RUNNING',
      );
      expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
    }),
  MINUTES,
);
