import { afterEach, describe, expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

const FAILURES = [
  ['answers 503', { kind: 'status', status: 503 }],
  ['resets its connections', { kind: 'reset', phase: 'before' }],
] as const;

/** Returns the time of the first call of a route after `sinceMs` that the service answered with 200. */
const answeredAfter = (route: string, sinceMs: number): number | undefined =>
  world.sandbox.calls
    .filter((call) => call.route === route && call.status === 200)
    .map(({ at }) => Date.parse(at))
    .find((atMs) => atMs >= sinceMs);

/** True if the next planned call is so far away that it does not happen during the test. */
const isWaitingLong = (trouble?: { readonly until?: string }): boolean =>
  Date.parse(trouble?.until ?? '') - Date.now() > 6_000;

// While the service fails, each session waits longer and longer between its calls (back-off). One successful call of any session shows that
// the service is back. A waiting cancel must then be sent at once.
describe.each(FAILURES)('a cancel that waits because the service %s', (_name, fault) => {
  test('is sent within a second after any call succeeds, without waiting for its own back-off', async () => {
    const policy = { fastestPoll: '500ms', slowestPoll: '500ms' } as const;
    await world.sessions.open(world.input(leftOpen(), policy));
    const { session } = await world.sessions.open(world.input(leftOpen(), policy));
    world.sandbox.failNext('cancel', fault, 1_000);
    world.sandbox.failNext('details', fault, 1_000);
    await session.cancel();
    await stateOf(session, ({ trouble }) => isWaitingLong(trouble));
    const backAtMs = Date.now();
    world.sandbox.clearFaults();
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
    const firstAtMs = answeredAfter('details', backAtMs) ?? NaN;
    expect((answeredAfter('cancel', backAtMs) ?? NaN) - firstAtMs).toBeLessThan(1_000);
  });
});
