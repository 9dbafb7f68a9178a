import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSandbox, type Sandbox } from '../../sandbox';
import type { SessionRequest } from '../../src';
import { until } from '../support/wait';
import { eft } from '../support/requests';
import { paysession, startPaysession, type Running } from './support';

const folder = mkdtempSync(join(tmpdir(), 'paysession-cli-'));
let sandbox: Sandbox;
let worker: Running;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  sandbox = createSandbox({ paceMs: 50 });
  const { url } = await sandbox.listen();
  env = {
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_ENGINE'],
    PAYSESSION_TASK_QUEUE: `cli-${randomUUID()}`,
    PAYSESSION_BASE_URL: url,
    PAYSESSION_CLIENT_ID: 'sandbox-client',
    PAYSESSION_CLIENT_SECRET: 'sandbox-secret',
  };
  worker = startPaysession(['worker'], env);
  await worker.line(/^working for default/);
});

afterAll(async () => {
  expect(await worker.interrupt()).toBe(0);
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => paysession(args, { env });

function requestFile(request: SessionRequest): string {
  const path = join(folder, `${randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(request));
  return path;
}

const quick = ['--policy', '{"fastestPoll":"100ms"}'];
const newKey = () => `cli-${randomUUID()}`;
const parsed = (text: string): unknown => JSON.parse(text);

describe('a session from the command line', () => {
  test('is started, watched to its end, shown and listed', async () => {
    const key = newKey();
    const request = requestFile(eft('sandbox-completes'));
    const started = await run('start', '--key', key, '--request', request, '--open', ...quick);
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('/app/?sessionId=') });

    const watched = await run('watch', key);
    expect(watched.stdout).toMatch(/Initiated EFT0101 {2}\(create\)\n.*Completed EFT0301 {2}\(poll\)\n$/);
    expect(parsed((await run('state', key, '--json')).stdout)).toMatchObject({
      phase: 'ended',
      status: 'Completed',
    });
    const history = parsed((await run('history', key, '--json')).stdout);
    expect(history).toMatchObject([{ code: 'EFT0101' }, { code: 'EFT0301' }]);
    // The engine's index may lag behind.
    await until(
      () => run('list', '--reference', 'sandbox-completes', '--limit', '1000'),
      ({ stdout }) => stdout.includes(key),
    );
  });

  test('is started, refreshed and cancelled', async () => {
    const key = newKey();
    await run('start', '--key', key, '--request', requestFile(eft('sandbox-stays-initiated')), '--open');
    expect((await run('refresh', key)).stdout).toContain('Initiated EFT0101');
    expect(await run('cancel', key)).toMatchObject({ code: 0, stdout: 'cancelled: Cancelled EFT0501\n' });
    expect(await run('cancel', key)).toMatchObject({ code: 0, stdout: 'alreadyEnded: Cancelled EFT0501\n' });
  });

  test('whose create is parked is resolved', async () => {
    const key = newKey();
    sandbox.failNext('create', { kind: 'status', status: 500 });
    const policy = ['--policy', '{"onUnknownCreate":"park","fastestPoll":"100ms"}'];
    const started = await run(
      'start',
      '--key',
      key,
      '--request',
      requestFile(eft('sandbox-completes')),
      '--open',
      ...policy,
    );
    expect(started).toMatchObject({ code: 4, stderr: expect.stringContaining('resolveCreate') });
    expect((await run('state', key)).stdout).toContain('parked');
    expect((await run('resolve', key)).code).toBe(2);
    expect((await run('resolve', key, '--retry')).code).toBe(0);
    expect((await run('watch', key)).stdout).toContain('Completed EFT0301');
  });

  test('is checked by doctor', async () => {
    const { code, stdout } = await run('doctor');
    expect(stdout).toContain('accepts the credentials');
    expect(stdout).not.toContain('sandbox-secret');
    expect(code).toBe(0);
  });
});

describe('bad input gets one clear message and a non-zero exit', () => {
  test('an invalid request: all failures listed, nothing started', async () => {
    const key = newKey();
    const request = { ...eft(), amount: 0, direction: 'CREDIT', payor: { firstName: 'Avery' } };
    const { code, stderr } = await paysession(['start', '--key', key, '--request', '-'], {
      env,
      stdin: JSON.stringify(request),
    });
    expect(code).toBe(2);
    for (const field of ['amount', 'direction', 'payor.lastName', 'payor.email'])
      expect(stderr).toContain(`request.${field}`);
    expect((await run('state', key)).code).toBe(3);
  });

  test.each(['state', 'history', 'watch', 'cancel', 'refresh'])('an unknown key: %s', async (command) => {
    const { code, stderr } = await run(command, 'no-such-key');
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error SESSION_NOT_FOUND: .*no-such-key/);
  });

  test('the same key with another request', async () => {
    const key = newKey();
    await run('start', '--key', key, '--request', requestFile(eft('sandbox-completes')));
    const other = await run(
      'start',
      '--key',
      key,
      '--request',
      requestFile({ ...eft('sandbox-completes'), amount: 26 }),
    );
    expect(other).toMatchObject({ code: 4, stderr: expect.stringMatching(/^error SESSION_CONFLICT/) });
  });

  test('wrong credentials', async () => {
    const taskQueue = `cli-${randomUUID()}`;
    const wrong = { ...env, PAYSESSION_TASK_QUEUE: taskQueue, PAYSESSION_CLIENT_SECRET: 'wrong' };
    const wrongWorker = startPaysession(['worker'], wrong);
    await wrongWorker.line(/^working/);
    const args = ['start', '--key', newKey(), '--request', requestFile(eft()), '--wait'];
    const { code, stderr } = await paysession(args, { env: wrong });
    expect(await wrongWorker.interrupt()).toBe(0);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^error SERVICE_CREDENTIALS_REJECTED/);
    expect(stderr).not.toContain('wrong\n');
  });

  test('an engine that is not there', async () => {
    const { code, stderr } = await paysession(['state', 'any'], { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error ENGINE_UNAVAILABLE: .*127\.0\.0\.1:1 does not answer/);
  });

  test('a payment service that is not there: doctor says how to fix it', async () => {
    const { code, stdout } = await paysession(['doctor'], {
      env: { ...env, PAYSESSION_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(5);
    expect(stdout).toMatch(/✘ Payment service \(default\): .*\n {4}.*PAYSESSION_BASE_URL/);
  });

  test('a port in use', async () => {
    const { port } = new URL(env['PAYSESSION_BASE_URL'] ?? '');
    const { code, stderr } = await run('sandbox', '--port', port);
    expect(code).toBe(2);
    expect(stderr).toContain(`error PORT_IN_USE: Port ${port} is in use`);
  });

  test.each([
    ['start', '--key', 'k', '--request', 'no-such-file.json'],
    ['sandbox', '--clients', 'no-such-file.json'],
  ])('an unreadable file: %s', async (...args) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error INVALID_FILE: .*no-such-file\.json/);
  });

  test('settings that are missing or malformed: all listed', async () => {
    const missing = await paysession(['worker']);
    expect(missing.code).toBe(2);
    for (const name of ['PAYSESSION_BASE_URL', 'PAYSESSION_CLIENT_ID', 'PAYSESSION_CLIENT_SECRET']) {
      expect(missing.stderr).toContain(name);
    }
    const malformed = await paysession(['worker'], {
      env: { ...env, PAYSESSION_BASE_URL: 'ftp://x', TEMPORAL_ADDRESS: 'x' },
    });
    expect(malformed).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/TEMPORAL_ADDRESS.*PAYSESSION_BASE_URL/s),
    });
  });

  test('an unknown command or option', async () => {
    expect((await run('pay')).code).toBe(2);
    expect((await run('state', 'k', '--colour')).code).toBe(2);
  });
});
