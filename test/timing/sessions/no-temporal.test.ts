import { expect, test } from '@jest/globals';
import { PaymentSessions } from '../../../src';
import { leftOpen } from '../../support/requests';
import { withLosableTemporal } from '../../support/worlds/losable-temporal';

const LONGEST_MS = 15_000;

test('each call of the client throws TEMPORAL_UNAVAILABLE within 15 s after the Temporal server is lost', () =>
  withLosableTemporal({}, async (world, temporal) => {
    const { client, taskQueue } = world;
    const sessions = new PaymentSessions(client, { taskQueue });
    const { session } = await sessions.open(world.input(leftOpen()));
    await temporal.lose();
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
    expect(became).toMatchObject(calls.map(() => ({ code: 'TEMPORAL_UNAVAILABLE' })));
    await temporal.bringBack();
  }));
