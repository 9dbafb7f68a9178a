import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ServiceError, type ServiceFailure } from '../../../../src/errors';
import { Pace, PacedService, type PacedCalls } from '../../../../src/service';
import type { CallScope } from '../../../../src/service/call-scope';
import { sleep } from '../../../support/service/limited-service';

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0, 5) });
});

afterEach(() => {
  jest.useRealTimers();
});

const SECOND = 1_000;
const ANSWERS_IN_MS = 100;
const SLOW_MS = 2_100;
const HANGS_FOR_MS = 10 * SECOND;

type Health = 'up' | 'slow' | 'failing' | 'hanging' | 'withoutToken';

/** Returns a fake service with two routes, whose health the tests set, and a client at the account's pace. */
function serviceOf(callsPerSecond?: number) {
  const health: { details: Health; cancel: Health } = { details: 'up', cancel: 'up' };
  const cancels: { readonly sessionId: string; readonly atMs: number }[] = [];
  const call = async (route: keyof typeof health, scope?: CallScope) => {
    const routeHealth = health[route];
    if (routeHealth === 'up' || routeHealth === 'failing') await sleep(ANSWERS_IN_MS);
    else await Promise.race([sleep(routeHealth === 'slow' ? SLOW_MS : HANGS_FOR_MS), stopped(scope)]);
    if (scope?.stoppedBy === undefined && (routeHealth === 'up' || routeHealth === 'slow'))
      return { status: 'Cancelled' };
    throw new ServiceError(FAILURES[routeHealth] ?? INTERRUPTED);
  };
  const service: PacedCalls = {
    maxConnections: 32,
    spareConnections: 0,
    authenticate: () => Promise.resolve(),
    createSession: () => Promise.reject(new Error('unused')),
    sessionDetails: (_sessionId, options) => call('details', options?.scope),
    identifySession: async (_sessionId, options) => ({
      snapshot: await call('details', options?.scope),
      identity: {},
    }),
    cancelSession: (sessionId, options) => {
      cancels.push({ sessionId, atMs: Date.now() });
      return call('cancel', options?.scope);
    },
    checkoutUrl: () => '',
  };
  const pace = new Pace({ now: Date.now, callsPerSecond, random: () => 0 });
  const paced = new PacedService(service, { pace, now: Date.now });
  /** Cancels as a workflow does: again, each time the service is back. Unlike a workflow, it does not also retry at intervals. */
  const cancel = (sessionId: string): void => {
    const onServiceBack = () => {
      cancel(sessionId);
    };
    paced.cancelSession(sessionId, { onServiceBack }).catch(() => undefined);
  };
  const poll = (sessionId = 'polled') => paced.sessionDetails(sessionId).catch(() => undefined);
  return { health, cancels, cancel, poll, pace, paced };
}

const INTERRUPTED: ServiceFailure = { code: 'SERVICE_INTERRUPTED', message: '' };
const FAILURES: Partial<Record<Health, ServiceFailure>> = {
  failing: { code: 'SERVICE_FAILED', message: '', status: 503 },
  withoutToken: { code: 'SERVICE_UNREACHABLE', message: '' },
};

const stopped = (scope?: CallScope): Promise<unknown> => scope?.stopped() ?? new Promise(() => undefined);

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** Makes both routes fail for thirty seconds. At the beginning, this many sessions are cancelled. */
async function outage({ health, cancel, poll }: ReturnType<typeof serviceOf>, sessions: number) {
  Object.assign(health, { details: 'failing', cancel: 'failing' });
  void poll();
  for (let session = 0; session < sessions; session += 1) cancel(`session-${session}`);
  await pass(30 * SECOND);
}

describe('cancels that failed in an outage of the payment service', () => {
  test('are sent again when the service answers the first call after the outage', async () => {
    const service = serviceOf();
    await outage(service, 1);
    Object.assign(service.health, { details: 'up', cancel: 'up' });
    const backAtMs = Date.now();
    void service.poll();
    await pass(SECOND);
    expect(service.cancels.at(-1)?.atMs).toBe(backAtMs + ANSWERS_IN_MS);
  });

  test('are sent again at the account’s rate, even if there are a thousand', async () => {
    const PER_SECOND = 20;
    const SESSIONS = 1_000;
    const service = serviceOf(PER_SECOND);
    await outage(service, SESSIONS);
    await pass(60 * SECOND);
    Object.assign(service.health, { details: 'up', cancel: 'up' });
    const backAtMs = Date.now();
    void service.poll();
    await pass((SESSIONS / PER_SECOND) * SECOND + SECOND);
    const again = service.cancels.filter(({ atMs }) => atMs >= backAtMs).map(({ atMs }) => atMs);
    expect(again).toHaveLength(SESSIONS);
    for (const [index, atMs] of again.entries())
      if (index >= PER_SECOND)
        expect(atMs - (again[index - PER_SECOND] ?? NaN)).toBeGreaterThanOrEqual(SECOND);
  });

  test('wait if the service fails again, and are all sent once it works again', async () => {
    const service = serviceOf(10);
    await outage(service, 100);
    Object.assign(service.health, { details: 'up', cancel: 'up' });
    void service.poll();
    await pass(2 * SECOND);
    service.health.cancel = 'failing';
    await pass(60 * SECOND);
    const sent = service.cancels.length;
    expect(sent).toBeLessThan(150);
    service.health.cancel = 'up';
    service.cancel('another');
    await pass(60 * SECOND);
    expect(new Set(service.cancels.slice(100).map(({ sessionId }) => sessionId)).size).toBe(101);
  });

  test('are sent again when the service answers a poll, even if no poll failed before', async () => {
    const service = serviceOf();
    service.health.cancel = 'failing';
    service.cancel('session');
    await pass(30 * SECOND);
    service.health.cancel = 'up';
    const backAtMs = Date.now();
    void service.poll();
    await pass(SECOND);
    expect(service.cancels.at(-1)?.atMs).toBe(backAtMs + ANSWERS_IN_MS);
  });

  test.each([100, 1_000, 10_000])(
    'are sent again less and less often if they always fail, while a poll succeeds every %d ms',
    async (everyMs) => {
      const service = serviceOf();
      service.health.cancel = 'failing';
      service.cancel('session');
      for (let passedMs = 0; passedMs < 120 * SECOND; passedMs += everyMs) {
        void service.poll();
        await pass(everyMs);
      }
      expect(service.cancels.length).toBeLessThanOrEqual(8);
    },
  );

  test('are sent only a few times more often than the workflow’s own retries send them', async () => {
    const service = serviceOf();
    service.health.cancel = 'failing';
    const OWN = 60;
    for (let own = 0; own < OWN; own += 1) {
      service.cancel('session');
      for (let poll = 0; poll < 10; poll += 1) {
        void service.poll();
        await pass(SECOND / 10);
      }
    }
    expect(service.cancels.length).toBeLessThanOrEqual(OWN + 7);
  });

  test('are sent again less and less often if they always fail, while every other poll fails', async () => {
    const service = serviceOf();
    service.health.cancel = 'failing';
    service.cancel('session');
    for (let second = 0; second < 120; second += 1) {
      service.health.details = second % 2 === 0 ? 'failing' : 'up';
      void service.poll();
      await pass(SECOND);
    }
    expect(service.cancels.length).toBeLessThanOrEqual(8);
  });
});

test('a cancel that hangs is stopped when the payment service answers another call, and is then sent again', async () => {
  const service = serviceOf();
  Object.assign(service.health, { details: 'hanging', cancel: 'hanging' });
  void service.poll();
  await pass(HANGS_FOR_MS);
  service.cancel('session');
  await pass(3 * SECOND);
  Object.assign(service.health, { details: 'up', cancel: 'up' });
  const backAtMs = Date.now();
  void service.poll();
  await pass(SECOND);
  expect(service.cancels.at(-1)?.atMs).toBe(backAtMs + ANSWERS_IN_MS);
});

// Each of these cancels takes two seconds. Meanwhile, a single poll fails, and the next poll is answered.
describe('slow cancels', () => {
  /** Sends this many cancels, one each tenth of a second, and makes a poll fail at each of these times. */
  const slowCancels = async (count: number, failedPollsAtMs: readonly number[]) => {
    const { health, cancels, paced, poll } = serviceOf();
    health.cancel = 'slow';
    const settled: string[] = [];
    /** Cancels as a workflow does: after a failure, it reads the details, and cancels again once the service is back. */
    const cancel = async (sessionId: string): Promise<void> => {
      let resume = (): void => undefined;
      const isBack = new Promise<void>((resolve) => (resume = resolve));
      try {
        await paced.cancelSession(sessionId, { onServiceBack: resume });
        settled.push(sessionId);
      } catch {
        await paced.identifySession(sessionId);
        await isBack;
        await cancel(sessionId);
      }
    };
    for (let passedMs = 0; passedMs < 20 * SECOND; passedMs += 100) {
      if (passedMs < 100 * count) void cancel(`session-${passedMs}`);
      health.details = failedPollsAtMs.includes(passedMs) ? 'failing' : 'up';
      if ([passedMs, passedMs - 100].some((atMs) => failedPollsAtMs.includes(atMs))) void poll();
      await pass(100);
    }
    return { sent: cancels.length, settled: settled.length };
  };

  test('are rarely stopped because of a failed poll', async () => {
    const { sent, settled } = await slowCancels(100, [4_000]);
    expect(settled).toBe(100);
    expect(sent).toBeLessThanOrEqual(102);
  });

  test('are stopped at most once, even if the details of their sessions are read', async () => {
    expect(await slowCancels(1, [1_800, 3_900, 6_000])).toEqual({ sent: 2, settled: 1 });
  });
});

test('polls that are stopped in favour of other calls while they wait for a token do not count as an outage', async () => {
  const { health, poll, pace } = serviceOf();
  health.details = 'withoutToken';
  for (let session = 0; session < 100; session += 1) void poll(`session-${session}`);
  await pass(4 * SECOND);
  expect([pace.isPaused('create'), pace.isPaused('poll')]).toEqual([false, false]);
});
