import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { problemsOf } from '../../../../src';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { leftOpen } from '../../../support/requests';

// The world is in virtual time. Waits of seconds and minutes between retries take no real time.
const DAY_MS = 24 * 60 * 60_000;
const world = usePaymentWorld({ sandbox: { idleExpiryMs: DAY_MS } });

afterEach(() => {
  world.sandbox.clearFaults();
});

/** Opens a session with rare polls, because each poll takes some real time. */
const open = () =>
  world.sessions.open({
    key: `test-${randomUUID()}`,
    request: leftOpen(),
    policy: { fastestPoll: '5m' },
  });

describe('a cancel', () => {
  test('is sent again until the service answers', async () => {
    const { session } = await open();
    world.service.fail('cancel', { kind: 'status', status: 503 }, 2);
    world.service.fail('cancel', { kind: 'reset', phase: 'after' });
    await session.cancel();
    expect(await session.result()).toMatchObject({ code: 'EFT0501', cancel: { outcome: 'cancelled' } });
  });

  test('that keeps failing ends with the service’s final status once a poll sees it', async () => {
    const { session, sessionId } = await open();
    world.service.fail('cancel', { kind: 'status', status: 500 }, 1_000);
    await session.cancel();
    await world.advance('1m');
    expect(await session.state()).toMatchObject({
      phase: 'cancelling',
      trouble: { code: 'SERVICE_FAILED' },
    });
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({
      status: 'Completed',
      code: 'EFT0301',
      cancel: { outcome: 'lostToCompletion' },
    });
  });

  test('is sent again within a minute although Retry-After is longer, and the state has the time of the next call', async () => {
    const { session } = await open();
    world.service.fail('cancel', { kind: 'status', status: 503, retryAfter: '900' });
    const askedAtMs = (await world.now()).getTime();
    await session.cancel();
    await world.advance('10s');
    const { trouble } = await session.state();
    expect(trouble?.code).toBe('SERVICE_FAILED');
    expect(Date.parse(trouble?.until ?? '') - askedAtMs).toBeLessThan(62_000);
    await world.advance('1m');
    expect(await session.state()).toMatchObject({ phase: 'ended', cancel: { outcome: 'cancelled' } });
  });

  test('that is answered “not found” is sent again as long as the details show the session', async () => {
    const { session, sessionId } = await open();
    world.service.fail('cancel', { kind: 'status', status: 404 }, 1_000);
    await session.cancel();
    await world.advance('2h');
    const state = await session.state();
    expect(state).toMatchObject({ phase: 'cancelling', trouble: { code: 'SERVICE_FAILED' }, anomalies: [] });
    expect(problemsOf(state)).not.toContain('sessionUnknown');
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ paid: true, cancel: { outcome: 'lostToCompletion' } });
  });

  // If the service answers “not found” to the cancel and to the details for an hour, the session fails. Here, the hour is interrupted.
  test.each([
    { between: 'an outage', cancel: 503, details: 503 },
    { between: 'an outage of the details', cancel: 404, details: 503 },
    { between: 'a poll that shows the session', cancel: 404, details: undefined },
  ])(
    'that is answered “not found” fails only after a full hour: $between restarts the hour',
    async ({ cancel, details }) => {
      const { session } = await open();
      const answers = (cancelStatus: number, detailsStatus: number | undefined) => {
        world.sandbox.clearFaults();
        world.service.fail('cancel', { kind: 'status', status: cancelStatus }, 1_000);
        if (detailsStatus === undefined) return;
        world.service.fail('details', { kind: 'status', status: detailsStatus }, 1_000);
      };
      answers(404, 404);
      await session.cancel();
      await world.advance('40m');
      answers(cancel, details);
      await world.advance('2m');
      answers(404, 404);
      await world.advance('40m');
      expect(await session.state()).toMatchObject({ phase: 'cancelling' });
      await expect(session.result()).rejects.toMatchObject({ code: 'SERVICE_SESSION_UNKNOWN' });
    },
  );

  test('succeeds although the service does not know the session for a while', async () => {
    const { session } = await open();
    world.service.fail('cancel', { kind: 'status', status: 404 }, 3);
    world.service.fail('details', { kind: 'status', status: 404 }, 3);
    await session.cancel();
    expect(await session.result()).toMatchObject({
      code: 'EFT0501',
      cancel: { outcome: 'cancelled' },
      anomalies: [{ kind: 'sessionUnknown' }],
    });
  });
});

describe('a refresh between two tries of a cancel', () => {
  const secondsFor = async (call: () => Promise<unknown>) => {
    const beganAtMs = (await world.now()).getTime();
    await call();
    return ((await world.now()).getTime() - beganAtMs) / 1_000;
  };

  test('is answered at once with the service’s current status, and recorded as applied', async () => {
    const { session } = await open();
    world.service.fail('cancel', { kind: 'status', status: 503 }, 1_000);
    await session.cancel();
    await world.advance('2m');
    const cancels = world.service.audit({ route: 'cancel' }).length;
    expect(await secondsFor(() => session.refresh({ by: 'Robin' }))).toBeLessThan(5);
    // The refresh sends the cancel once. A second try may have been due in these seconds anyway.
    expect([1, 2]).toContain(world.service.audit({ route: 'cancel' }).length - cancels);
    expect(await session.state()).toMatchObject({
      phase: 'cancelling',
      trouble: { code: 'SERVICE_FAILED' },
      decisions: [{ decision: 'refresh', by: 'Robin', result: 'applied' }],
    });
    world.sandbox.clearFaults();
    expect(await session.refresh()).toMatchObject({ phase: 'ended', cancel: { outcome: 'cancelled' } });
  });

  test('fails with the error if the details cannot be read', async () => {
    const { session } = await open();
    world.service.fail('cancel', { kind: 'status', status: 503 }, 1_000);
    world.service.fail('details', { kind: 'status', status: 500 }, 1_000);
    await session.cancel();
    await world.advance('2m');
    await session.refresh({ by: 'Robin' });
    const { decisions } = await session.state();
    expect(decisions).toMatchObject([{ result: expect.stringMatching(/^SERVICE_/) }]);
    world.sandbox.clearFaults();
    await world.advance('2m');
    await session.result();
  });

  test('waits as long as Retry-After says', async () => {
    const { session } = await open();
    world.service.fail('cancel', { kind: 'status', status: 503, retryAfter: '50' });
    await session.cancel();
    await world.advance('1s');
    const refreshed = secondsFor(() => session.refresh());
    await world.advance('2m');
    expect(await refreshed).toBeGreaterThan(45);
  });
});
