import { afterEach, describe, expect, test } from '@jest/globals';
import type { SessionPolicy } from '../../../../src';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import type { World } from '../../../support/worlds/world';

const callsOf = ({ sandbox }: World, sessionId: string, wanted: string) =>
  sandbox.calls.filter(({ route, sessionId: id }) => route === wanted && id === sessionId);

// The session is cancelled during a poll. The service carries the cancel out, but its answer is lost.
describe('if the answer to a cancel is lost, the poll that was under way', () => {
  const world = useWorld({ service: { headersTimeoutMs: 5_000 } });

  afterEach(() => {
    world.sandbox.clearFaults();
  });

  test.each<[string, SessionPolicy, boolean]>([
    ['at its planned time', {}, false],
    ['for a refresh', { fastestPoll: '1m', slowestPoll: '1m' }, true],
  ])('%s reports that the session is cancelled', async (_case, policy, refreshes) => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), policy));
    const poll = world.sandbox.hold('details', 'before');
    const refreshed = refreshes ? session.refresh() : undefined;
    await poll.reached;
    const readsBefore = callsOf(world, sessionId, 'details').length;
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
    expect(callsOf(world, sessionId, 'details').length - readsBefore).toBeLessThanOrEqual(1);
    if (refreshed !== undefined) expect(await refreshed).toMatchObject({ status: 'Cancelled' });
  });
});

describe('if the service answers a cancel slowly', () => {
  const world = useWorld();

  test('the session is polled at most once more', async () => {
    const open = () => world.sessions.open(world.input(leftOpen()));
    const [first, second] = [await open(), await open()];
    await until(
      () => Promise.resolve(callsOf(world, first.sessionId, 'details').length),
      (count) => count >= 3,
    );
    const cancel = world.sandbox.hold('cancel', 'before');
    await first.session.cancel();
    await cancel.reached;
    const before = callsOf(world, first.sessionId, 'details').length;
    const reads = callsOf(world, second.sessionId, 'details').length;
    await until(
      () => Promise.resolve(callsOf(world, second.sessionId, 'details').length),
      (count) => count >= reads + 10,
    );
    expect(callsOf(world, first.sessionId, 'details').length - before).toBeLessThanOrEqual(1);
    cancel.release();
    expect(await first.session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
    await second.session.cancelAndWait();
  });
});
