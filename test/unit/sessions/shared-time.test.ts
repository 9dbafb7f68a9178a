import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { TemporalTimeout } from '../../../src/sessions/calls/deadlines';
import { SessionCalls } from '../../../src/sessions/calls/session-calls';
import { sharedByKey } from '../../../src/sessions/calls/shared-call';
import { toPaysessionError } from '../../../src/sessions/calls/temporal-errors';

/**
 * Returns a client whose first `describe` waits for `release` or an abort, the time left for each `describe`, and the aborted
 * signals.
 */
function slowClient() {
  const deadline = new AsyncLocalStorage<number>();
  const leftMs: number[] = [];
  const ended: AbortSignal[] = [];
  const ending = new AsyncLocalStorage<AbortSignal>();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handle = {
    describe: async () => {
      leftMs.push((deadline.getStore() ?? 0) - Date.now());
      if (leftMs.length === 1) await Promise.race([released, aborted(ending.getStore())]);
      return { status: { name: 'RUNNING' } };
    },
    query: () => Promise.resolve({ phase: 'open' }),
  };
  const client = {
    withDeadline: <T>(atMs: number, call: () => Promise<T>) => deadline.run(atMs, call),
    withAbortSignal: <T>(signal: AbortSignal, call: () => Promise<T>) => {
      signal.addEventListener('abort', () => ended.push(signal));
      return ending.run(signal, call);
    },
    workflow: { getHandle: () => handle },
  };
  return {
    client: client as unknown as Client,
    leftMs,
    ended,
    release,
  };
}

const aborted = (signal?: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(new Error('the request was ended'));
    });
  });

const TIMEOUTS = {
  openTimeoutMs: 30_000,
  queryTimeoutMs: 10_000,
  refreshTimeoutMs: 60_000,
  updateTimeoutMs: 60_000,
};
const callsOf = (client: Client) => new SessionCalls('order-1042', client, TIMEOUTS, sharedByKey(client));
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    () => 'failed',
  );

test('a shared call to a session keeps its own timeout, even if the first caller’s is shorter', async () => {
  const { client, leftMs, release } = slowClient();
  const calls = callsOf(client);
  const underWay = outcome(calls.state());
  const hasty = outcome(calls.state(1));
  const patient = outcome(calls.state());
  expect(await hasty).toBe('failed');
  release();
  expect(await Promise.all([underWay, patient])).toEqual(['answered', 'answered']);
  expect(leftMs.at(-1)).toBeGreaterThan(5_000);
});

test('a shared call to a session is ended once no caller waits for it, and the next caller makes another call', async () => {
  const { client, leftMs, ended } = slowClient();
  const calls = callsOf(client);
  expect(await outcome(calls.state(1))).toBe('failed');
  expect(ended).toHaveLength(1);
  expect(await outcome(calls.state())).toBe('answered');
  expect(leftMs).toHaveLength(2);
});

test('a shared call to a session is not sent if all of its callers leave while it waits for the call before it', async () => {
  const { client, leftMs, release } = slowClient();
  const calls = callsOf(client);
  const underWay = outcome(calls.state());
  expect(await outcome(calls.state(1))).toBe('failed');
  release();
  expect(await underWay).toBe('answered');
  expect(leftMs).toHaveLength(1);
});

test('a shared call to a session is ended at once if its only caller aborts', async () => {
  const { client, ended } = slowClient();
  const leaving = new AbortController();
  const left = outcome(callsOf(client).state(60_000, leaving.signal));
  leaving.abort();
  expect(await left).toBe('failed');
  // The caller's own signal, and that of the shared call.
  expect(ended).toHaveLength(2);
});

test('the error of a late answer from a session says that a worker may be running', () => {
  expect(toPaysessionError('order-1042', new TemporalTimeout('no answer'))).toMatchObject({
    code: 'WORKER_UNAVAILABLE',
    message: expect.stringMatching(/If one is running, it is busy or waits .* If none is running: Start one/),
  });
});
