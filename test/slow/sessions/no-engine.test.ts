import { expect, test } from '@jest/globals';
import { PaymentSessions } from '../../../src';
import { leftOpen } from '../../support/requests';
import { withLosableEngine } from '../../support/worlds/losable-engine';

const LONGEST_MS = 15_000;

test('calls of a running service throw ENGINE_UNAVAILABLE within 15 s once the Temporal server is gone', () =>
  withLosableEngine({}, async (world, engine) => {
    const { client, taskQueue } = world;
    const sessions = new PaymentSessions(client, { taskQueue });
    const { session } = await sessions.open(world.input(leftOpen()));
    await engine.lose();
    const beganAtMs = performance.now();
    const calls = [
      sessions.start(world.input(leftOpen())),
      sessions.open(world.input(leftOpen())),
      session.state(),
      session.refresh(),
      session.opened(),
    ];
    const became = await Promise.all(
      calls.map((call) =>
        call.then(
          () => 'answered',
          (error: unknown) => error,
        ),
      ),
    );
    expect(performance.now() - beganAtMs).toBeLessThan(LONGEST_MS);
    expect(became).toMatchObject(calls.map(() => ({ code: 'ENGINE_UNAVAILABLE' })));
    await engine.bringBack();
  }));
