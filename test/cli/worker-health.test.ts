import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEngine, type RunningEngine } from '../../engine';
import { freePort } from '../../engine/run/ports';
import { SEARCH_ATTRIBUTES } from '../../src';
import { leftOpen } from '../support/requests';
import { until } from '../support/wait';
import { startPaysession, type Running } from './support';
import { newKey, useSandbox } from './use-sandbox';

interface Answer {
  readonly status: number;
  readonly body: { readonly status: string; readonly checks?: readonly { name: string; ok: boolean }[] };
}

const { env, run, requestFile, sandbox } = useSandbox();

let port: number;
beforeAll(async () => {
  port = await freePort(0);
});

async function probe(path: string): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const startWorker = (more: NodeJS.ProcessEnv = {}): Running =>
  startPaysession(['worker'], { ...env, PAYSESSION_HEALTH_PORT: String(port), ...more });

/** Waits until the worker is ready, or is not; gives the answer and how long that took. */
async function untilReady(wanted: boolean): Promise<Answer & { readonly tookMs: number }> {
  const beganAt = performance.now();
  const answer = await until(
    () => probe('/readyz').catch(() => undefined),
    (found) => found !== undefined && (found.status === 200) === wanted,
  );
  if (answer === undefined) throw new Error('no answer');
  return { ...answer, tookMs: performance.now() - beganAt };
}

const failing = ({ body }: Answer): readonly string[] =>
  (body.checks ?? []).flatMap(({ name, ok }) => (ok ? [] : [name]));

test('a worker is live at once, and ready when it polls and its credentials are accepted', async () => {
  const worker = startWorker();
  try {
    const { body } = await untilReady(true);
    expect(body.status).toBe('ready');
    expect(body.checks?.map(({ name }) => name)).toEqual(['polling', 'engine', 'credentials']);
    expect(await probe('/livez')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await probe('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect((await probe('/else')).status).toBe(404);
  } finally {
    expect(await worker.interrupt()).toBe(0);
  }
});

test('a worker whose credentials no account accepts is live, polls and is not ready', async () => {
  const worker = startWorker({ PAYSESSION_CLIENT_SECRET: 'a-wrong-secret' });
  try {
    await worker.line(/^working/);
    const refused = await until(
      () => probe('/readyz'),
      ({ body }) => JSON.stringify(body).includes('SERVICE_CREDENTIALS_REJECTED'),
    );
    expect(failing(refused)).toEqual(['credentials']);
    expect(JSON.stringify(refused)).not.toContain('a-wrong-secret');
    expect((await probe('/livez')).status).toBe(200);
    expect((await probe('/healthz')).status).toBe(200);
  } finally {
    await worker.interrupt();
  }
});

test('SIGTERM: not ready at once, the call under way ends, and the exit code is 0', async () => {
  const worker = startWorker();
  await untilReady(true);
  const call = sandbox.hold('create', 'after');
  const key = newKey();
  await run('start', '--key', key, '--request', requestFile(leftOpen()));
  await call.reached;
  const exit = worker.interrupt('SIGTERM');
  expect(failing(await untilReady(false))).toEqual(['polling']);
  expect((await probe('/healthz')).body).toEqual({ status: 'stopping' });
  expect((await probe('/livez')).status).toBe(200);
  call.release();
  expect(await exit).toBe(0);
  expect(sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
});

test('a second signal ends the process at once', async () => {
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

/** A probe's answer is red within this time of the loss. */
const RED_WITHIN_MS = 10_000;

describe('an engine of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-health-'));
  let engine: RunningEngine | undefined;

  async function start(enginePort = 0): Promise<RunningEngine> {
    const executable = process.env['PAYSESSION_TEST_ENGINE_EXECUTABLE'];
    if (executable === undefined) throw new Error('needs an engine of its own: unset TEMPORAL_ADDRESS');
    const searchAttributes = Object.values(SEARCH_ATTRIBUTES);
    engine = await startEngine({
      executable,
      searchAttributes,
      port: enginePort,
      databaseFile: join(folder, 'engine.db'),
    });
    return engine;
  }

  afterAll(async () => {
    await engine?.stop();
    rmSync(folder, { recursive: true });
  });

  test('that is lost turns a worker without traffic not ready, and ready again when it is back', async () => {
    const running = await start();
    const { address } = running;
    const worker = startWorker({ TEMPORAL_ADDRESS: address });
    try {
      await untilReady(true);
      await running.stop();
      const lost = await untilReady(false);
      expect(failing(lost)).toEqual(['engine']);
      expect(lost.tookMs).toBeLessThanOrEqual(RED_WITHIN_MS);
      expect((await probe('/livez')).status).toBe(200);
      await start(Number(address.split(':').at(-1)));
      await untilReady(true);
    } finally {
      expect(await worker.interrupt()).toBe(0);
    }
    expect(worker.errors().match(/WARN .*ENGINE_UNAVAILABLE/g)?.length).toBeLessThanOrEqual(2);
  });
});
