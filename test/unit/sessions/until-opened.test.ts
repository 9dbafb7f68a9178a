import { describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { TemporalTimeout } from '../../../src/sessions/calls/deadlines';
import type { SessionCalls } from '../../../src/sessions/calls/session-calls';
import { changesOf } from '../../../src/sessions/calls/waiting';
import { untilOpened } from '../../../src/sessions/start/open';

const unanswered = async (timeoutMs: number): Promise<never> => {
  await sleep(timeoutMs);
  throw new TemporalTimeout('no answer');
};

/** Calls to a session that has started. No worker answers a request for its state. */
const calls = {
  describe: () => Promise.resolve(),
  state: () => Promise.reject(new Error('no worker')),
} as unknown as SessionCalls;
const within = (ms: number) => ({ endsAtMs: performance.now() + ms });

describe('the wait until a session is opened', () => {
  test('sends its request again after a time without an answer', async () => {
    const times: number[] = [];
    const answer = await untilOpened(
      calls,
      within(10_000),
      (timeoutMs) => {
        times.push(timeoutMs);
        return times.length < 3 ? unanswered(timeoutMs) : Promise.resolve('opened');
      },
      20,
    );
    expect({ answer, times }).toEqual({ answer: 'opened', times: [20, 20, 20] });
  });

  test('lasts no longer than the caller’s timeout', async () => {
    const times: number[] = [];
    const answer = untilOpened(
      calls,
      within(50),
      (timeoutMs) => {
        times.push(timeoutMs);
        return unanswered(timeoutMs);
      },
      40,
    );
    await expect(answer).rejects.toMatchObject({ code: 'SESSION_STILL_OPENING' });
    expect(times[0]).toBe(40);
    expect(times.every((timeoutMs) => timeoutMs <= 40)).toBe(true);
  });

  test('does not send its request again if the request was cut off early', async () => {
    const ask = jest.fn(() => Promise.reject(new TemporalTimeout('cut off')));
    await expect(untilOpened(calls, within(10_000), ask)).rejects.toMatchObject({
      code: 'SESSION_STILL_OPENING',
    });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test('does not send its request again if the request was refused', async () => {
    const refused = new Error('refused');
    const ask = jest.fn(() => Promise.reject(refused));
    await expect(untilOpened(calls, within(10_000), ask)).rejects.toBe(refused);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test('sends its request again after a pause if the Temporal server is busy', async () => {
    const busy = Object.assign(new Error('busy'), { code: 8, details: 'Workflow is busy.', metadata: {} });
    const ask = jest.fn<() => Promise<string>>().mockRejectedValueOnce(busy).mockResolvedValueOnce('opened');
    expect(await untilOpened(calls, within(10_000), ask)).toBe('opened');
    const never = jest.fn(() => Promise.reject(busy));
    await expect(untilOpened(calls, within(10), never)).rejects.toMatchObject({ cause: busy });
  });
});

test('if a wait for a session’s changes is cut off early, it is not repeated at once', async () => {
  const update = jest.fn(() => Promise.reject(new TemporalTimeout('cut off')));
  const state = () => Promise.resolve({ phase: 'open', revision: 1 });
  const leaving = new AbortController();
  const changes = changesOf({ state, update } as unknown as SessionCalls, { signal: leaving.signal });
  const seen: unknown[] = [];
  const all = (async () => {
    for await (const { phase } of changes) seen.push(phase);
  })();
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  leaving.abort();
  await all;
  expect(seen).toEqual(['open']);
  expect(update).toHaveBeenCalledTimes(1);
});

test('a caller of changes() that aborts before the first state gets no state', async () => {
  const leaving = new AbortController();
  const state = (_timeoutMs?: number, left?: AbortSignal) =>
    new Promise((resolve, reject) => {
      left?.addEventListener('abort', () => {
        reject(left.reason as Error);
      });
      setImmediate(() => {
        leaving.abort();
        resolve({ phase: 'ended' });
      });
    });
  const changes = changesOf({ state } as unknown as SessionCalls, { signal: leaving.signal });
  const seen: unknown[] = [];
  for await (const { phase } of changes) seen.push(phase);
  expect(seen).toEqual([]);
});
