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

/** The time between a poll's start in the workflow and its arrival at the service varies this much. */
const JITTER_MS = 300;

describe('refreshes', () => {
  test('that a caller repeats in a loop poll no more often than `refreshSpacing`', async () => {
    const { session } = await openQuiet();
    const before = reads().length;
    await refreshTimes(session, 4);
    const times = reads().slice(before);
    expect(times).toHaveLength(4);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(1_000 - JITTER_MS);
  });

  test('wait for the service’s Retry-After', async () => {
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
