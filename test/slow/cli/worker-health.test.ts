import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { failing, useProbes } from '../../support/cli/use-probes';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { env, run, requestFile, sandbox } = useSandbox();
const { probe, startWorker, untilReady } = useProbes(env);

test('a worker is live at once, and ready once it polls and the service has accepted its credentials', async () => {
  const worker = startWorker();
  try {
    const { body } = await untilReady(true);
    expect(body.status).toBe('ready');
    expect(body.checks?.map(({ name }) => name)).toEqual(['polling', 'temporal', 'credentials']);
    expect(await probe('/livez')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await probe('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect((await probe('/else')).status).toBe(404);
  } finally {
    expect(await worker.interrupt()).toBe(0);
  }
});

test('a worker whose credentials are refused is live and polls, but is not ready', async () => {
  const worker = startWorker({ PAYSESSION_CLIENT_SECRET: 'a-wrong-secret' });
  try {
    await worker.line(/^working/);
    const refused = await until(
      () => probe('/readyz'),
      // Until its first call, the worker answers that the credentials were not tried.
      (answer) => failing(answer).join() === 'credentials' && !JSON.stringify(answer).includes('not tried'),
    );
    expect(JSON.stringify(refused)).toContain('SERVICE_CREDENTIALS_REJECTED');
    expect(JSON.stringify(refused)).not.toContain('a-wrong-secret');
    expect((await probe('/livez')).status).toBe(200);
    expect((await probe('/healthz')).status).toBe(200);
  } finally {
    await worker.interrupt();
  }
});

test('on SIGTERM, a worker is at once not ready, finishes its call under way, and exits 0', async () => {
  const worker = startWorker();
  await untilReady(true);
  const call = sandbox.hold('create', 'after');
  const key = newKey();
  await run('start', '--key', key, '--request', requestFile(leftOpen()));
  await call.reached;
  const exit = worker.interrupt('SIGTERM');
  expect(failing(await untilReady(false))).toEqual(['polling']);
  expect((await probe('/healthz')).body).toEqual({ status: 'notPolling' });
  expect((await probe('/livez')).status).toBe(200);
  call.release();
  expect(await exit).toBe(0);
  expect(sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
});

test('on a second SIGTERM, a worker exits at once', async () => {
  const worker = startWorker();
  await untilReady(true);
  const call = sandbox.hold('create', 'after');
  try {
    await run('start', '--key', newKey(), '--request', requestFile(leftOpen()));
    await call.reached;
    worker.child.kill('SIGTERM');
    await untilReady(false);
    const ended = once(worker.child, 'exit');
    worker.child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  } finally {
    call.release();
  }
});
