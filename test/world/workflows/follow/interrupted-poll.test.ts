import { afterEach, describe, expect, test } from '@jest/globals';
import type { SessionPolicy } from '../../../../src';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld({ service: { headersTimeoutMs: 5_000 } });

afterEach(() => {
  world.sandbox.clearFaults();
});

const open = (policy: SessionPolicy = {}) => world.sessions.open(world.input(leftOpen(), policy));

const callsOf = (sessionId: string, wanted: string) =>
  world.sandbox.calls.filter(({ route, sessionId: id }) => route === wanted && id === sessionId);

describe('a poll that a cancel interrupts', () => {
  test.each<[string, SessionPolicy, boolean]>([
    ['by the cadence', {}, false],
    ['for a refresh', { fastestPoll: '1m', slowestPoll: '1m' }, true],
  ])(
    '%s still reports the cancelled state when the cancel’s answer never comes',
    async (_case, policy, refreshes) => {
      const { session, sessionId } = await open(policy);
      const poll = world.sandbox.hold('details', 'before');
      const refreshed = refreshes ? session.refresh() : undefined;
      await poll.reached;
      const readsBefore = callsOf(sessionId, 'details').length;
      world.sandbox.failNext('cancel', { kind: 'hang', phase: 'after' });
      await session.cancel();
      await until(
        () => Promise.resolve(world.sandbox.session(sessionId)?.state.status),
        (status) => status === 'Cancelled',
      );
      poll.release();
      const { status, cancel, stateHistory } = await session.result();
      expect([status, cancel?.outcome]).toEqual(['Cancelled', 'cancelled']);
      expect(stateHistory.at(-1)?.source).toBe('poll');
      expect(callsOf(sessionId, 'details').length - readsBefore).toBeLessThanOrEqual(1);
      if (refreshed !== undefined) expect(await refreshed).toMatchObject({ status: 'Cancelled' });
    },
  );

  test('is followed by one more poll at most', async () => {
    const [first, second] = [await open(), await open()];
    await until(
      () => Promise.resolve(callsOf(first.sessionId, 'details').length),
      (count) => count >= 3,
    );
    const cancel = world.sandbox.hold('cancel', 'before');
    await first.session.cancel();
    await cancel.reached;
    const before = callsOf(first.sessionId, 'details').length;
    const reads = callsOf(second.sessionId, 'details').length;
    await until(
      () => Promise.resolve(callsOf(second.sessionId, 'details').length),
      (count) => count >= reads + 10,
    );
    expect(callsOf(first.sessionId, 'details').length - before).toBeLessThanOrEqual(1);
    cancel.release();
    expect(await first.session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
    await second.session.cancelAndWait();
  });
});
