import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import type { World } from '../../../support/worlds/world';

describe('a rate limit in the account’s settings', () => {
  const CALLS_PER_SECOND = 10;
  const world = useWorld({ account: { callsPerSecond: CALLS_PER_SECOND } });

  test('applies to all sessions of the account together', async () => {
    const open = () => world.sessions.open(world.input(leftOpen()));
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
    // After an idle second, the calls of that second may be sent in addition. Two more calls may arrive a little late.
    expect(Math.max(...inTheSecondAfter)).toBeLessThanOrEqual(2 * CALLS_PER_SECOND + 2);
  });
});

/** Plays the payor of every session: completes a session once its details have been read twice. */
async function completeAtThirdPoll(world: World, isOver: () => boolean): Promise<void> {
  const completed = new Set<string>();
  while (!isOver()) {
    const reads = new Map<string, number>();
    for (const { route, status, sessionId } of world.sandbox.calls) {
      if (route === 'details' && status === 200 && sessionId !== undefined)
        reads.set(sessionId, (reads.get(sessionId) ?? 0) + 1);
    }
    for (const [sessionId, times] of reads) {
      if (times < 2 || completed.has(sessionId)) continue;
      completed.add(sessionId);
      world.payor(sessionId).completes();
    }
    await sleep(20);
  }
}

describe('a rate limit of the service that is not in the settings', () => {
  const SESSIONS = 60;
  const LIMIT = { rateLimitRequests: 20, rateLimitWindowMs: 1_000 };
  /** The smallest number of calls: for each session, a create request and three polls. The third poll sees the end. */
  const CALLS = SESSIONS * 4;
  const IDEAL_MS = (CALLS / LIMIT.rateLimitRequests) * LIMIT.rateLimitWindowMs;

  const limited = useWorld({ sandbox: LIMIT });

  test('lets sixty sessions end within 1.5 times the ideal time, and refuses at most a tenth of the calls', async () => {
    const ends = Array.from({ length: SESSIONS }, () => async () => {
      const policy = { fastestPoll: '1s', slowestPoll: '2s' } as const;
      const started = await limited.sessions.start(limited.input(leftOpen(), policy));
      return started.result();
    });
    const progress = { ended: false };
    const paying = completeAtThirdPoll(limited, () => progress.ended);
    try {
      await Promise.all(ends.map((end) => end()));
    } finally {
      progress.ended = true;
    }
    await paying;
    const times = limited.sandbox.calls.map(({ at }) => Date.parse(at));
    const tookMs = Math.max(...times) - Math.min(...times);
    const { calls } = limited.sandbox;
    const refused = calls.filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThanOrEqual(calls.length / 10);
    expect(tookMs).toBeLessThanOrEqual(1.5 * IDEAL_MS);
  });
});
