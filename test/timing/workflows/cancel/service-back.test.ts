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

/** True if the wait is so long that it does not end by itself during the test. */
const isWaitingLong = (trouble?: { readonly until?: string }): boolean =>
  Date.parse(trouble?.until ?? '') - Date.now() > 6_000;

describe.each(FAILURES)('a cancel that waits while the service %s', (_name, fault) => {
  test('is sent within a second after the first call that succeeds, whatever its back-off', async () => {
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
