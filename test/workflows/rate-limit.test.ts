import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Sandbox } from '../../sandbox';
import { eft } from '../support/requests';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/wait';
import { createWorld, type World } from '../support/world';

const CALLS_PER_SECOND = 10;

let world: World;

beforeAll(async () => {
  world = await createWorld({ account: { callsPerSecond: CALLS_PER_SECOND } });
});

afterAll(async () => {
  await world.close();
});

test('a rate limit holds for all sessions of the account together', async () => {
  const open = () => world.sessions.open(world.input(eft('sandbox-stays-initiated')));
  const opened = await Promise.all(Array.from({ length: 8 }, open));
  const polls = () => world.sandbox.calls.filter(({ route }) => route === 'details');
  await until(
    () => Promise.resolve(polls().length),
    (count) => count >= 4 * CALLS_PER_SECOND,
  );
  await Promise.all(opened.map(({ session }) => session.cancelAndWait()));
  const times = polls().map(({ at }) => Date.parse(at));
  const inTheSecondAfter = times.map(
    (start) => times.filter((time) => time >= start && time < start + 1_000).length,
  );
  // One second's calls may have been saved up, and a call may arrive a little late.
  expect(Math.max(...inTheSecondAfter)).toBeLessThanOrEqual(2 * CALLS_PER_SECOND + 2);
});

/** The payor of each session completes it once its details were read twice. */
async function completeAtThirdPoll(sandbox: Sandbox, isOver: () => boolean): Promise<void> {
  const completed = new Set<string>();
  while (!isOver()) {
    const reads = new Map<string, number>();
    for (const { route, status, sessionId } of sandbox.calls) {
      if (route === 'details' && status === 200 && sessionId !== undefined)
        reads.set(sessionId, (reads.get(sessionId) ?? 0) + 1);
    }
    for (const [sessionId, times] of reads) {
      if (times < 2 || completed.has(sessionId)) continue;
      completed.add(sessionId);
      for (const event of ['payorStarted', 'bankValidated', 'padSigned'] as const)
        sandbox.act(sessionId, event);
    }
    await sleep(20);
  }
}

describe('a limit of the service that the account’s settings do not tell of', () => {
  const SESSIONS = 60;
  const LIMIT = { rateLimitRequests: 20, rateLimitWindowMs: 1_000 };
  /** A create and three polls, the third of which sees the end. */
  const CALLS = SESSIONS * 4;
  const IDEAL_MS = (CALLS / LIMIT.rateLimitRequests) * LIMIT.rateLimitWindowMs;

  let limited: World;

  beforeAll(async () => {
    limited = await createWorld({ sandbox: LIMIT });
  });

  afterAll(async () => {
    await limited.close();
  });

  test('all sessions end in 1.5 times the ideal, and hardly a call is refused', async () => {
    const ends = Array.from({ length: SESSIONS }, () => async () => {
      const policy = { fastestPoll: '1s', slowestPoll: '2s' } as const;
      const started = await limited.sessions.start(limited.input(eft('sandbox-stays-initiated'), policy));
      return started.result();
    });
    const progress = { ended: false };
    const paying = completeAtThirdPoll(limited.sandbox, () => progress.ended);
    await Promise.all(ends.map((end) => end()));
    const times = limited.sandbox.calls.map(({ at }) => Date.parse(at));
    const tookMs = Math.max(...times) - Math.min(...times);
    progress.ended = true;
    await paying;
    const { calls } = limited.sandbox;
    const refused = calls.filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThanOrEqual(calls.length / 10);
    expect(tookMs).toBeLessThanOrEqual(1.5 * IDEAL_MS);
  }, 60_000);
});

describe('a create that waits for its turn', () => {
  let slow: World;

  beforeAll(async () => {
    slow = await createWorld({ account: { callsPerSecond: 0.05 } });
  });

  afterAll(async () => {
    await slow.close();
  });

  test('hears of a cancel while it waits, and is never sent', async () => {
    const neighbour = await slow.sessions.open(
      slow.input(eft('sandbox-stays-initiated'), { fastestPoll: '1h' }),
    );
    const waiting = await slow.sessions.start(slow.input(eft()));
    const { workflowId } = slow.client.workflow.getHandle(`payment-session/${waiting.key}`);
    await until(
      async () => (await slow.client.workflow.getHandle(workflowId).describe()).raw.pendingActivities ?? [],
      (pending) => pending.some(({ activityType }) => activityType?.name === 'createSession'),
    );
    await waiting.cancel();
    expect(await waiting.result()).toMatchObject({ status: 'Cancelled' });
    expect(slow.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
    await neighbour.session.cancelAndWait();
  });
});
