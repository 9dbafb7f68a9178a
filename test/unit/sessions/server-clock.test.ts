import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { ServerClock } from '../../../src/sessions/calls/worker-check';

const SECOND = 1_000;
/** How far the engine's clock is ahead of this machine's. */
const AHEAD_MS = 120 * SECOND;

let passedMs = 0;
beforeEach(() => {
  passedMs = 0;
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A client of an engine that refuses polls for as long as `isUp` says so. */
function engine() {
  const state = { isUp: false, polls: 0 };
  let identity: string | undefined;
  const workflowService = {
    pollWorkflowTaskQueue: (poll: { readonly identity: string }) => {
      state.polls += 1;
      if (!state.isUp) return Promise.reject(new Error('not now'));
      identity = poll.identity;
      return new Promise(() => undefined);
    },
    describeTaskQueue: () => {
      const seconds = Math.floor((Date.now() + AHEAD_MS) / SECOND);
      const lastAccessTime = { seconds: { toNumber: () => seconds } };
      return Promise.resolve({ pollers: identity === undefined ? [] : [{ identity, lastAccessTime }] });
    },
  };
  const client = {
    options: { namespace: 'default' },
    workflowService,
    withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
    withDeadline: (_at: number, call: () => unknown) => call(),
  };
  return { state, clock: ServerClock.of(client as unknown as Client) };
}

const offMs = (clock: ServerClock): number => Math.abs(clock.now() - Date.now() - AHEAD_MS);

describe('the engine’s clock', () => {
  test('is measured once in five minutes', async () => {
    const { state, clock } = engine();
    state.isUp = true;
    await clock.measure();
    passedMs = 299 * SECOND;
    await clock.measure();
    expect(state.polls).toBe(1);
    passedMs = 301 * SECOND;
    await clock.measure();
    expect(state.polls).toBe(2);
  });

  test('is measured again soon after a try that failed', async () => {
    const { state, clock } = engine();
    await clock.measure();
    state.isUp = true;
    passedMs = 11 * SECOND;
    await clock.measure();
    expect(offMs(clock)).toBeLessThan(10 * SECOND);
  });

  test('is not asked for at each call while that fails, and ever more seldom', async () => {
    const { state, clock } = engine();
    for (; passedMs < 600 * SECOND; passedMs += SECOND) await clock.measure();
    expect(state.polls).toBeLessThanOrEqual(8);
  });
});
