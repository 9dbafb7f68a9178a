import { afterEach, describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../../src';
import { leftOpen } from '../../../support/requests';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

/** Opens a session that is polled only on a refresh. */
const openQuiet = () =>
  world.sessions.open(
    world.input(leftOpen(), {
      fastestPoll: '1h',
      slowestPoll: '1h',
      refreshSpacing: '1s',
    }),
  );

/** Returns the times at which details were read, in milliseconds. */
const reads = () =>
  world.sandbox.calls.filter(({ route }) => route === 'details').map(({ at }) => Date.parse(at));

async function refreshTimes(session: PaymentSessionHandle, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await session.refresh();
}

/** The time from the start of a poll in the workflow to its arrival at the service varies by up to this many milliseconds. */
const JITTER_MS = 300;

describe('refreshes', () => {
  test('in a loop poll the service no more often than `refreshSpacing` allows', async () => {
    const { session } = await openQuiet();
    const before = reads().length;
    await refreshTimes(session, 4);
    const times = reads().slice(before);
    expect(times).toHaveLength(4);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(1_000 - JITTER_MS);
  });

  test('wait as long as the service’s Retry-After says', async () => {
    const { session } = await openQuiet();
    const before = reads().length;
    world.sandbox.failNext('details', { kind: 'status', status: 429, retryAfter: '3' });
    expect(await session.refresh()).toMatchObject({ trouble: { code: 'SERVICE_RATE_LIMITED' } });
    await session.refresh();
    const [limited = 0, next = 0, ...others] = reads().slice(before);
    expect(next - limited).toBeGreaterThan(3_000 - JITTER_MS);
    expect(others).toEqual([]);
  });
});
