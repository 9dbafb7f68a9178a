import { afterEach, describe, expect, test } from '@jest/globals';
import type { SessionPolicy } from '../../../src';
import { usePaymentWorld } from '../../support/worlds/payment-world';
import { completing, eft } from '../../support/requests';
import { stateOf } from '../../support/wait';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const world = usePaymentWorld();

/** Polls every five minutes of virtual time. Each poll takes some real time, so rare polls keep the tests quick. */
const RELAXED: SessionPolicy = { fastestPoll: '5m' };

let orders = 0;
const inputOf = (policy: SessionPolicy) => ({ key: `order-${(orders += 1)}`, request: eft(), policy });

/** Opens a session in the world that all these tests share. Its time never goes back, so each test must end its own sessions. */
const open = (policy: SessionPolicy = RELAXED) => world.sessions.open(inputOf(policy));

const nowMs = async () => (await world.now()).getTime();

test('the time of a payment world runs like real time, except when it is advanced', async () => {
  const before = await world.now();
  const { session } = await open();
  expect(await session.state()).toMatchObject({ phase: 'open' });
  expect((await world.now()).getTime() - before.getTime()).toBeLessThan(10_000);
  await session.cancelAndWait();
});

test('the time of a payment world can still skip after callers have given up messages before they were sent', async () => {
  const { session } = await open();
  for (const timeoutMs of [1, 3, 10]) {
    const refresh = session.refresh({ by: 'Robin', timeoutMs });
    await expect(refresh).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
  }
  await world.advance('1h');
  expect(await session.state()).toMatchObject({ phase: 'ended', status: 'Expired' });
});

test('when advance resolves, a payment world has done everything that was due by then', async () => {
  const { session } = await open({ fastestPoll: '30s' });
  await world.advance('14m');
  expect(await session.state()).toMatchObject({ status: 'Initiated' });
  // The session expires after 15 idle minutes. At that time, polls are up to 110 s apart.
  await world.advance('3m');
  expect(await session.state()).toMatchObject({ phase: 'ended', status: 'Expired', code: 'EFT0601' });
});

test('in a payment world, Temporal server, worker and service have the same virtual time, so that tokens expire and are renewed', async () => {
  const { sessionId, session } = await open();
  const since = (await world.now()).getTime();
  await world.payor(sessionId).validatesBank();
  await world.advance('12h');
  const refused = world.service.audit({ status: 401 });
  const times = world.service.audit({ route: 'authorize' }).map(({ at }) => Date.parse(at));
  const authorized = times.filter((at) => at > since);
  const gaps = authorized.slice(1).map((at, index) => at - (authorized[index] ?? 0));
  expect(refused).toEqual([]);
  expect(Math.min(...gaps)).toBeGreaterThan(530_000);
  expect(authorized.length).toBeGreaterThan(20);
  await world.payor(sessionId).signsPad();
  await session.result();
});

describe('in a payment world, while the result of a session is awaited,', () => {
  /** Ends the pause of the account’s calls, which failures and rate limits have caused. The first successful call ends it. */
  afterEach(async () => {
    world.service.clearFaults();
    await world.advance('10m');
    await (await open()).session.cancelAndWait();
  });

  const parking = (policy: SessionPolicy = {}) =>
    world.sessions.start(inputOf({ ...policy, onUnknownCreate: 'park' }));

  const isDown = { kind: 'status', status: 503 } as const;
  const isBusy = { kind: 'status', status: 429, retryAfter: '60' } as const;
  const isLost = { kind: 'reset', phase: 'after' } as const;

  test.each([
    ['at once', 0],
    ['after its create request was delayed for minutes', 4],
  ])(
    'and the session is parked %s, time stops skipping, because an operator must decide',
    async (_, putOff) => {
      world.service.fail('create', isBusy, putOff);
      world.service.fail('create', isLost);
      const since = await nowMs();
      const session = await parking();
      const ending = session.result().catch((error: unknown) => error);
      await stateOf(session, ({ phase }) => phase === 'parked');
      const parkedAt = await nowMs();
      expect(parkedAt - since).toBeGreaterThanOrEqual(putOff * MINUTE);
      expect(parkedAt - since).toBeLessThan((2 * putOff + 1) * MINUTE);
      expect(await session.resolveCreate({ abandon: true })).toMatchObject({ phase: 'ended' });
      expect(await ending).toMatchObject({ code: 'CREATE_ABANDONED' });
      expect((await nowMs()) - parkedAt).toBeLessThan(5 * MINUTE);
    },
  );

  test('and the session ends, time stops near the end, and parked sessions stay parked', async () => {
    world.service.fail('create', isLost);
    const parked = await parking();
    await stateOf(parked, ({ phase }) => phase === 'parked');
    const { sessionId, session } = await open();
    const since = await nowMs();
    await world.payor(sessionId).completes();
    await session.result();
    expect((await nowMs()) - since).toBeLessThan(HOUR);
    expect(await parked.resolveCreate({ abandon: true })).toMatchObject({ phase: 'ended' });
  });

  test('other results can be awaited and time can be advanced', async () => {
    const { sessionId, session } = await open();
    world.service.fail('create', isBusy, 4);
    const late = await world.sessions.start(inputOf(RELAXED));
    await world.payor(sessionId).completes();
    const since = await nowMs();
    const results = Promise.all([session.result(), late.result()]);
    await world.advance('2h');
    expect((await results).map(({ status }) => status)).toEqual(['Completed', 'Expired']);
    expect((await nowMs()) - since).toBeGreaterThan(2 * HOUR);
  });

  test('messages reach the session at the virtual time at which they are sent', async () => {
    const { sessionId, session } = await open({});
    await world.payor(sessionId).validatesBank();
    const ending = session.result();
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'lostToCompletion' });
    expect(await ending).toMatchObject({ status: 'Completed', code: 'EFT0302' });
  });

  test('retries of calls are made at their virtual times', async () => {
    await world.advance('1h'); // The worker's token has expired.
    const since = await nowMs();
    world.service.fail('authorize', isDown, 3);
    const session = await world.sessions.start({ ...inputOf(RELAXED), request: completing() });
    await session.result();
    const calls = world.service.audit({ route: 'authorize' }).map(({ at }) => Date.parse(at));
    const [first = 0, ...others] = calls.filter((at) => at > since).slice(0, 4);
    // The create activity makes the first call, and a separate activity makes the others. A busy machine may add seconds.
    const [, third = 0, fourth = 0] = others.map((at) => (at - first) / 1_000);
    expect(third).toBeGreaterThanOrEqual(1);
    expect(fourth - third).toBeGreaterThanOrEqual(2);
    expect(fourth).toBeLessThan(HOUR / 1_000);
  });
});

test('a session that waits a month for a signature is polled about eighty times', async () => {
  const { sessionId, session } = await open({});
  await world.payor(sessionId).validatesBank();
  const startedAt = performance.now();
  expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0302', unsigned: true });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const polls = world.service.audit({ route: 'details', sessionId }).map(({ at }) => Date.parse(at));
  process.stderr.write(`a month without a signature: ${polls.length} polls, ${seconds} s\n`);
  expect(polls.length).toBeGreaterThan(70);
  expect(polls.length).toBeLessThan(95);
  const days = (Math.max(...polls) - Math.min(...polls)) / DAY;
  expect(days).toBeGreaterThan(28.5);
  expect(days).toBeLessThan(30.1);
});

test('a failed poll delays the report of a signature by at most an hour', async () => {
  const { sessionId, session } = await open({});
  await world.payor(sessionId).validatesBank();
  await world.advance('10d');
  world.service.fail('details', { kind: 'status', status: 503 });
  await world.payor(sessionId).signsPad();
  const { stateHistory } = await session.result();
  const [failed] = world.service.audit({ route: 'details', status: 503 });
  const delay = Date.parse(stateHistory.at(-1)?.firstSeenAt ?? '') - Date.parse(failed?.at ?? '');
  expect(delay).toBeGreaterThan(0);
  expect(delay).toBeLessThan(HOUR);
});
