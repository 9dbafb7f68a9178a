import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SessionPolicy, SessionRequest } from '../../../../src';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { newlyPaused } from '../../../support/newly-paused';
import { eft, leftOpen } from '../../../support/requests';

// The world is in virtual time, because outages and rate limits last for minutes.
const DAY_MS = 24 * 60 * 60_000;
const world = usePaymentWorld({ sandbox: { idleExpiryMs: DAY_MS } });

afterEach(async () => {
  world.service.clearFaults();
  await world.advance('5m'); // Ends the pause of the account's calls.
});

/** Opens a session with rare polls, because each poll takes some real time. */
const open = () =>
  world.sessions.open({
    key: `test-${randomUUID()}`,
    request: leftOpen(),
    policy: { fastestPoll: '30s' },
  });

describe('a session goes on', () => {
  test('after an outage of the payment service, and its state has the trouble until then', async () => {
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

  test('immediately after an outage if a person refreshes it, although the account’s polls are paused', async () => {
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

  test('after a rate limit, without a call before Retry-After', async () => {
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

describe('a failed poll is repeated at the latest at the deadline, and the session ends then:', () => {
  /** Opens a session that is polled every 45 to 55 minutes. */
  const openSlow = async (request: SessionRequest, policy: SessionPolicy) => {
    const fifty = { fastestPoll: '50m', slowestPoll: '50m' } as const;
    const key = `test-${randomUUID()}`;
    const opened = await world.sessions.open({ key, request, policy: { ...fifty, ...policy } });
    return { ...opened, openedAt: (await world.now()).toISOString() };
  };
  const serviceIsDown = { kind: 'status', status: 503 } as const;
  const minutes = (from: string | undefined, to: string | undefined) =>
    (Date.parse(to ?? '') - Date.parse(from ?? '')) / 60_000;
  const lastPollAt = (sessionId: string) => world.service.audit({ route: 'details', sessionId }).at(-1)?.at;

  test('at the overall deadline', async () => {
    const { session, openedAt } = await openSlow(leftOpen(), { deadline: '1h' });
    world.service.fail('details', serviceIsDown);
    const { cancel } = await session.result();
    expect(cancel).toMatchObject({ by: 'deadline', outcome: 'cancelled' });
    expect(minutes(openedAt, cancel?.requestedAt)).toBeCloseTo(60, 0);
  });

  test('at the deadline of the PAD signature', async () => {
    const { session, sessionId } = await openSlow(eft(), { padSignatureDeadline: '1h' });
    await world.payor(sessionId).validatesBank();
    await world.advance('56m');
    expect(await session.state()).toMatchObject({ code: 'EFT0302' });
    world.service.fail('details', serviceIsDown);
    const { unsigned } = await session.result();
    expect(unsigned).toBe(true);
    const stateHistory = await session.stateHistory();
    const validated = stateHistory.find(({ code }) => code === 'EFT0302');
    expect(minutes(validated?.firstSeenAt, lastPollAt(sessionId))).toBeCloseTo(60, 0);
  });

  test('at the overall deadline of a Completed session whose code is missing', async () => {
    const { session, sessionId, openedAt } = await openSlow(leftOpen(), { deadline: '2h' });
    await world.payor(sessionId).completes();
    const body = JSON.stringify({ status: 'Completed' });
    world.service.fail('details', { kind: 'status', status: 200, body, contentType: 'application/json' });
    world.service.fail('details', serviceIsDown);
    expect(await session.result()).toMatchObject({ paid: true, anomalies: [{ kind: 'missingCode' }] });
    expect(minutes(openedAt, lastPollAt(sessionId))).toBeCloseTo(120, 0);
  });
});
