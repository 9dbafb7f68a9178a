import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { withLosableEngine } from '../../../support/worlds/losable-engine';

/** Longer than an engine waits for a heartbeat. */
const AWAY_MS = 80_000;
const MINUTES = 4 * 60_000;

test(
  'what a worker saw while no Temporal server was there is reported, although the service is away by then',
  () =>
    withLosableEngine({}, async (world, engine) => {
      const { session, sessionId } = await world.sessions.open(
        world.input(leftOpen(), { fastestPoll: '1s', slowestPoll: '1s' }),
      );
      await engine.lose();
      world.payor(sessionId).completes();
      const looks = () => world.sandbox.calls.filter(({ route }) => route === 'details').length;
      const before = looks();
      await until(
        () => Promise.resolve(looks()),
        (now) => now > before,
      );
      await world.sandbox.close();
      await sleep(AWAY_MS);
      await engine.bringBack();
      const { workflow } = world.client;
      await until(
        () => workflow.getHandle(session.workflowId).describe(),
        ({ status }) => status.name !== 'RUNNING',
      );
      expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
    }),
  MINUTES,
);
