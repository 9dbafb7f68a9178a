import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSandbox, DEFAULT_CLIENT, type Sandbox } from '../../sandbox';
import type { SessionRequest } from '../../src';
import { until } from '../support/wait';
import { eft, eTransfer } from '../support/requests';
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
    PAYSESSION_CLIENT_ID: DEFAULT_CLIENT.clientId,
    PAYSESSION_CLIENT_SECRET: DEFAULT_CLIENT.clientSecret,
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
    expect(watched.code).toBe(0);
    expect(watched.stdout).toMatch(/Initiated EFT0101 {2}\(create\)\n.*Completed EFT0301 {2}\(poll\)\n$/);
    expect(parsed((await run('state', key, '--json')).stdout)).toMatchObject({
      phase: 'ended',
      paid: true,
      status: 'Completed',
    });
    const history = parsed((await run('history', key, '--json')).stdout);
    expect(history).toMatchObject([{ code: 'EFT0101' }, { code: 'EFT0301' }]);
    // The engine's index may lag behind.
    await until(
      () => run('list', '--reference', 'sandbox-completes', '--limit', '1000'),
      ({ stdout }) => new RegExp(`${key} +EFT +Completed EFT0301 +yes `).test(stdout),
    );
  });

  test('that ends Completed and lacks the signature is shown as not paid, and watching it says so', async () => {
    const key = newKey();
    const request = requestFile(eft('sandbox-awaits-signature'));
    const policy = ['--policy', '{"fastestPoll":"100ms","padSignatureDeadline":"1s"}'];
    const started = await run('start', '--key', key, '--request', request, '--wait', ...policy);
    expect(started).toMatchObject({ code: 9, stdout: `${key}: Completed EFT0302, not paid\n` });
    expect(await run('watch', key)).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('Completed EFT0302'),
      stderr: 'The session has ended, and is not paid.\n',
    });
    expect((await run('state', key)).stdout).toMatch(/^paid +no$/m);
    await until(
      () => run('list', '--code', 'EFT0302', '--limit', '1000'),
      ({ stdout }) => new RegExp(`${key} +EFT +Completed EFT0302 +no `).test(stdout),
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
    expect(started).toMatchObject({ code: 4, stderr: expect.stringContaining('paysession resolve') });
    expect((await run('state', key)).stdout).toContain('parked');
    expect((await run('resolve', key)).code).toBe(2);
    const wrong = await run('resolve', key, '--session-id', '../../x');
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringMatching(/INVALID_INPUT.*sessionId.*UUID/) });
    const decided = ['--by', 'Avery', '--reason', 'not in the list of the service'];
    expect((await run('resolve', key, '--retry', ...decided)).code).toBe(0);
    expect((await run('watch', key)).stdout).toContain('Completed EFT0301');
    expect((await run('state', key)).stdout).toMatch(
      /^decision +retry by Avery: applied, "not in the list of/m,
    );
  });

  test('is checked by doctor', async () => {
    const { code, stdout } = await run('doctor');
    expect(stdout).toContain('accepts the credentials');
    expect(stdout).not.toContain(DEFAULT_CLIENT.clientSecret);
    expect(code).toBe(0);
  });
});

describe('texts of others are shown on one line', () => {
  test('in a list, and in a state', async () => {
    const key = newKey();
    const referenceId = `two\nlines \u001b[2J ${randomUUID()}`;
    const request = requestFile(eTransfer(referenceId));
    await run('start', '--key', key, '--request', request, '--open', ...quick);
    expect((await run('state', key)).stdout).toContain('reference   two\\nlines \\u001b[2J ');
    const { stdout } = await until(
      () => run('list', '--kind', 'e-Transfer', '--running'),
      (listed) => listed.stdout.includes(key),
    );
    const line = stdout.split('\n').find((text) => text.includes(key));
    expect(line).toMatch(/e-Transfer {2}Initiated {2}no {4}two\\nlines \\u001b\[2J .*Z$/);
    expect((await run('cancel', key)).code).toBe(0);
  });
});

describe('a session that failed', () => {
  test('is not listed as creating', async () => {
    const key = newKey();
    const request = requestFile({ ...eft(`failed-${key.slice(0, 20)}`), amount: 10_000.01 });
    expect((await run('start', '--key', key, '--request', request, '--wait')).code).toBe(6);
    const listed = await until(
      () => run('list', '--ended', '--limit', '1000'),
      ({ stdout }) => stdout.includes(key),
    );
    const line = listed.stdout.split('\n').find((text) => text.includes(key));
    expect(line).toMatch(/ failed /);
  });
});

describe('without a worker', () => {
  test.each([
    ['state', ['state'], 'WORKER_UNAVAILABLE'],
    ['cancel', ['cancel'], 'CANCEL_PENDING'],
  ])('%s says so soon, and where a worker is wanted', async (_name, args, error) => {
    const unattended = { ...env, PAYSESSION_TASK_QUEUE: `nobody-${randomUUID()}` };
    const key = newKey();
    const start = ['start', '--key', key, '--request', requestFile(eft())];
    expect((await paysession(start, { env: unattended })).code).toBe(0);
    const { code, stderr } = await paysession([...args, key], { env: unattended });
    expect(code).toBe(5);
    expect(stderr).toMatch(new RegExp(`^error ${error}: .*"${unattended.PAYSESSION_TASK_QUEUE}"`));
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

  test.each([
    ['a policy with an unknown field', ['--policy', '{"deadlne":"2h"}'], 'did you mean deadline?'],
    ['a key with a line feed', ['--key', 'a\nb'], 'key must not contain control characters'],
    ['a policy of 50,000 levels', ['--policy', '['.repeat(50_000) + ']'.repeat(50_000)], 'nest deeper'],
  ])('%s', async (_name, args, message) => {
    const request = requestFile(eft());
    const { code, stderr } = await run('start', '--key', newKey(), '--request', request, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('a request of 50,000 levels, and one that is too large', async () => {
    const deep = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000);
    const start = (stdin: string) =>
      paysession(['start', '--key', newKey(), '--request', '-'], { env, stdin });
    expect(await start(deep)).toMatchObject({ code: 2, stderr: expect.stringContaining('nest deeper') });
    const large = requestFile({ ...eft(), referenceId: 'x'.repeat(2_000_000) });
    const tooLarge = await run('start', '--key', newKey(), '--request', large);
    expect(tooLarge).toMatchObject({ code: 2, stderr: expect.stringContaining('too large') });
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
