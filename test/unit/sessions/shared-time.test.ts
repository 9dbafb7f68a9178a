import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { TemporalTimeout } from '../../../src/sessions/calls/deadlines';
import { SessionCalls } from '../../../src/sessions/calls/session-calls';
import { sharedByKey } from '../../../src/sessions/calls/shared-call';
import { toPaysessionError } from '../../../src/sessions/calls/temporal-errors';

/**
 * Returns a client whose first `describe` call waits for `release` or an abort. Also returns the time that was left for each
 * `describe` call (`leftMs`), and the aborted signals.
 */
function slowClient() {
  const deadline = new AsyncLocalStorage<number>();
  const leftMs: number[] = [];
  const abortedSignals: AbortSignal[] = [];
  const currentSignal = new AsyncLocalStorage<AbortSignal>();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handle = {
    describe: async () => {
      leftMs.push((deadline.getStore() ?? 0) - Date.now());
      if (leftMs.length === 1) await Promise.race([released, aborted(currentSignal.getStore())]);
      return { status: { name: 'RUNNING' } };
    },
    query: () => Promise.resolve({ phase: 'open' }),
  };
  const client = {
    withDeadline: <T>(atMs: number, call: () => Promise<T>) => deadline.run(atMs, call),
    withAbortSignal: <T>(signal: AbortSignal, call: () => Promise<T>) => {
      signal.addEventListener('abort', () => abortedSignals.push(signal));
      return currentSignal.run(signal, call);
    },
    workflow: { getHandle: () => handle },
  };
  return {
    client: client as unknown as Client,
    leftMs,
    abortedSignals,
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

test('a shared call to a session is not limited by the first caller’s shorter timeout', async () => {
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

test('a shared call to a session is aborted once no caller waits, and the next caller makes another call', async () => {
  const { client, leftMs, abortedSignals } = slowClient();
  const calls = callsOf(client);
  expect(await outcome(calls.state(1))).toBe('failed');
  expect(abortedSignals).toHaveLength(1);
  expect(await outcome(calls.state())).toBe('answered');
  expect(leftMs).toHaveLength(2);
});

test('a shared call to a session is not sent if all its callers stop waiting while an earlier call is under way', async () => {
  const { client, leftMs, release } = slowClient();
  const calls = callsOf(client);
  const underWay = outcome(calls.state());
  expect(await outcome(calls.state(1))).toBe('failed');
  release();
  expect(await underWay).toBe('answered');
  expect(leftMs).toHaveLength(1);
});

test('a shared call to a session is aborted at once if its only caller aborts', async () => {
  const { client, abortedSignals } = slowClient();
  const leaving = new AbortController();
  const left = outcome(callsOf(client).state(60_000, leaving.signal));
  leaving.abort();
  expect(await left).toBe('failed');
  // The signal of the caller, and the signal of the shared call.
  expect(abortedSignals).toHaveLength(2);
});

test('the error of a call that a session did not answer in time says that a worker may be running', () => {
  expect(toPaysessionError('order-1042', new TemporalTimeout('no answer'))).toMatchObject({
    code: 'WORKER_UNAVAILABLE',
    message: expect.stringMatching(/If one is running, it is busy or waits .* If none is running: Start one/),
  });
});
