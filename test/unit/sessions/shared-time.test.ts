import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { SessionCalls, sharedByKey } from '../../../src/sessions/calls/session-calls';

/** A client whose first look at a session takes until it is released; it notes how long each look had left. */
function slowClient() {
  const deadline = new AsyncLocalStorage<number>();
  const leftMs: number[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handle = {
    describe: async () => {
      leftMs.push((deadline.getStore() ?? 0) - Date.now());
      if (leftMs.length === 1) await released;
      return { status: { name: 'RUNNING' } };
    },
    query: () => Promise.resolve({ phase: 'open' }),
  };
  const client = {
    withDeadline: <T>(atMs: number, call: () => Promise<T>) => deadline.run(atMs, call),
    withAbortSignal: <T>(_signal: AbortSignal, call: () => Promise<T>) => call(),
    workflow: { getHandle: () => handle },
  };
  return {
    client: client as unknown as Client,
    leftMs,
    release,
  };
}

test('a call that many share has its own time, however short that of the one who asks first', async () => {
  const { client, leftMs, release } = slowClient();
  const timeouts = {
    openTimeoutMs: 30_000,
    queryTimeoutMs: 10_000,
    refreshTimeoutMs: 60_000,
    updateTimeoutMs: 60_000,
  };
  const calls = new SessionCalls('order-1042', { client, timeouts, shared: sharedByKey() });
  const underWay = calls.state().catch(() => undefined);
  const hasty = calls.state(1).then(
    () => 'answered',
    () => 'late',
  );
  const patient = calls.state().catch(() => undefined);
  expect(await hasty).toBe('late');
  release();
  await Promise.all([underWay, patient]);
  expect(leftMs.at(-1)).toBeGreaterThan(5_000);
});
