import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { usePaymentWorld } from '../../support/worlds/payment-world';
import { newlyPaused } from '../../support/newly-paused';
import { leftOpen } from '../../support/requests';

/** In virtual time: outages and rate limits last for minutes. */
const DAY_MS = 24 * 60 * 60_000;
const world = usePaymentWorld({ sandbox: { idleExpiryMs: DAY_MS } });

afterEach(async () => {
  world.service.clearFaults();
  await world.advance('5m'); // The account's calls were paused.
});

/** Polls further apart than usual: skipped time costs what happens in it. */
const open = () =>
  world.sessions.open({
    key: `test-${randomUUID()}`,
    request: leftOpen(),
    policy: { fastestPoll: '30s' },
  });

describe('a session goes on', () => {
  test('after an outage of the payment service, and shows the trouble meanwhile', async () => {
    const { session, sessionId } = await open();
    const { port } = new URL(world.sandbox.url);
    await world.sandbox.close();
    await world.advance('5m');
    const state = await session.state();
    expect(state).toMatchObject({ phase: 'open', trouble: { code: expect.stringMatching(/^SERVICE_/) } });
    await world.sandbox.listen({ port: Number(port) });
    await world.advance('6m');
    expect((await session.state()).trouble).toBeUndefined();
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0301', anomalies: [] });
  });

  test('after an outage at once where a person asks, although the account’s polls are paused', async () => {
    const sessions = (await Promise.all(Array.from({ length: 12 }, open))).map(({ session }) => session);
    world.service.fail('details', { kind: 'status', status: 503 }, 1_000);
    await world.advance('5m');
    const paused = await newlyPaused((time) => world.advance(time), sessions);
    world.service.clearFaults();
    const askedAtMs = (await world.now()).getTime();
    expect((await paused.refresh({ by: 'Robin' })).trouble).toBeUndefined();
    expect((await world.now()).getTime() - askedAtMs).toBeLessThan(5_000);
    await Promise.all(sessions.map((session) => session.cancelAndWait()));
  });

  test('after a rate limit, and makes no call before Retry-After', async () => {
    const { session, sessionId } = await open();
    const polls = () => world.service.audit({ route: 'details', sessionId }).length;
    world.service.fail('details', { kind: 'status', status: 429, retryAfter: '600' });
    await world.advance('1m');
    const pollsBefore = polls();
    expect(await session.state()).toMatchObject({ trouble: { code: 'SERVICE_RATE_LIMITED' } });
    await world.advance('8m');
    expect(polls()).toBe(pollsBefore);
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
  });
});

test('a poll that fails is made again at the deadline at the latest: it does not put the end off', async () => {
  const { session } = await world.sessions.open({
    key: `test-${randomUUID()}`,
    request: leftOpen(),
    policy: { fastestPoll: '50m', slowestPoll: '50m', deadline: '1h' },
  });
  const openedAtMs = (await world.now()).getTime();
  world.service.fail('details', { kind: 'status', status: 503 });
  const { cancel } = await session.result();
  expect(cancel).toMatchObject({ by: 'deadline', outcome: 'cancelled' });
  const afterMs = Date.parse(cancel?.requestedAt ?? '') - openedAtMs;
  expect(afterMs / 60_000).toBeCloseTo(60, 0);
});
