import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { isPaysessionError, PaymentSessions } from '../../../src';
import { workerIdentity } from '../../../src/encryption/worker-encryption';
import { GRPC } from '../../../src/protocol/temporal/grpc';
import { eft } from '../../support/requests';

const grpcError = (code: number) =>
  Object.assign(new Error('no answer'), { code, details: '', metadata: {} });

/** The Temporal server's answer to a request for the task queue's workers: workers that require encryption, or an error. */
type Answer = 'the workers' | 'unavailable';

/**
 * Returns a client without keys, and the sessions that it has started. `requests` are its requests for the list of workers: the test
 * answers a request by calling it with an answer.
 */
function keylessClient() {
  const signals = new AsyncLocalStorage<AbortSignal>();
  const requests: ((answer: Answer) => void)[] = [];
  const started: unknown[] = [];
  const lastAccessTime = { seconds: { toNumber: () => Math.floor(Date.now() / 1_000) } };
  const identity = workerIdentity('worker', { encryption: { required: true, keyIds: ['current'] } });
  const start = (...args: unknown[]) => Promise.resolve(started.push(args));
  const client = {
    connection: {},
    options: { namespace: 'default', loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: <T>(_atMs: number, call: () => Promise<T>) => call(),
    withAbortSignal: <T>(signal: AbortSignal, call: () => Promise<T>) => signals.run(signal, call),
    workflow: { start, executeUpdateWithStart: start, getHandle: () => ({}) },
    workflowService: {
      describeTaskQueue: () =>
        new Promise((resolve, reject) => {
          signals.getStore()?.addEventListener('abort', () => {
            reject(grpcError(GRPC.CANCELLED));
          });
          requests.push((answer) => {
            if (answer === 'unavailable') reject(grpcError(GRPC.UNAVAILABLE));
            else resolve({ pollers: [{ identity, lastAccessTime }] });
          });
        }),
    },
  };
  const sessions = new PaymentSessions(client as unknown as Client);
  return { sessions, started, requests };
}

const input = { key: 'order-1042', request: eft() };
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'started',
    (error: unknown) => (isPaysessionError(error) ? error.code : error),
  );

describe('while a client without keys checks whether the workers require encryption', () => {
  test.each(['start', 'open'] as const)('a caller that aborts %s() starts no session', async (name) => {
    const { sessions, started } = keylessClient();
    const leaving = new AbortController();
    const call = sessions[name](input, { signal: leaving.signal });
    leaving.abort(new Error('the customer left'));
    await expect(call).rejects.toThrow('the customer left');
    await setImmediate();
    expect(started).toEqual([]);
  });

  test('callers share one check, and the check continues if the first caller aborts', async () => {
    const { sessions, started, requests } = keylessClient();
    const leaving = new AbortController();
    const first = sessions.start(input, { signal: leaving.signal }).catch(() => undefined);
    const others = [sessions.start(input), sessions.open(input)].map(codeOf);
    leaving.abort();
    await first;
    requests[0]?.('the workers');
    expect(await Promise.all(others)).toEqual(['ENCRYPTION_REQUIRED', 'ENCRYPTION_REQUIRED']);
    expect(requests).toHaveLength(1);
    expect(started).toEqual([]);
  });

  test('a caller with a short timeout starts its session without the answer, and other callers wait for the answer', async () => {
    const { sessions, started, requests } = keylessClient();
    const hasty = sessions.start(input, { timeoutMs: 1 }).catch(() => undefined);
    const patient = codeOf(sessions.start(input));
    await hasty;
    requests[0]?.('the workers');
    expect(await patient).toBe('ENCRYPTION_REQUIRED');
    expect(started).toHaveLength(1);
  });

  test('if the check fails, the session is started, and the next start checks again', async () => {
    const { sessions, started, requests } = keylessClient();
    const first = sessions.start(input);
    requests[0]?.('unavailable');
    await first;
    expect(started).toHaveLength(1);
    const second = codeOf(sessions.start(input));
    requests[1]?.('the workers');
    expect(await second).toBe('ENCRYPTION_REQUIRED');
    expect(started).toHaveLength(1);
  });
});
