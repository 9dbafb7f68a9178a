import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PaymentSessions } from '../../../src';
import { connectTemporal, readTemporalSettings } from '../../../src/settings';
import { eft, leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { startPaysession, type Running } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { env, run, requestFile, sandbox } = useSandbox();

const linesOf = (worker: Running) =>
  worker
    .errors()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const json = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...env,
  PAYSESSION_LOG_FORMAT: '',
  ...more,
});

const NAMES = /Avery|Tremblay|avery\.tremblay/;

/** A server that accepts every connection and closes it at once. */
const drops = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let connections = 0;

/** An accounts file that every user of the machine can read. */
const folder = mkdtempSync(join(tmpdir(), 'paysession-worker-log-'));
const exposedFile = join(folder, 'accounts.json');

beforeAll(() => {
  const account = { baseUrl: 'https://pay.example', clientId: 'other', clientSecret: 'secret-of-another' };
  writeFileSync(exposedFile, JSON.stringify({ accounts: { other: account } }));
  chmodSync(exposedFile, 0o644);
});

afterAll(() => {
  drops.close();
  rmSync(folder, { recursive: true });
});

const SESSIONS = 5;
const ATTEMPTS = 20;

test('while the payment service cannot be reached, the worker’s log has one line for all sessions, and later a summary', async () => {
  drops.listen(0, '127.0.0.1');
  await once(drops, 'listening');
  const address = drops.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const taskQueue = `log-${randomUUID()}`;
  const worker = startPaysession(
    ['worker'],
    json({ PAYSESSION_BASE_URL: `http://127.0.0.1:${port}`, PAYSESSION_TASK_QUEUE: taskQueue }),
  );
  const { connection } = await connectTemporal(
    readTemporalSettings({ TEMPORAL_ADDRESS: env['TEMPORAL_ADDRESS'] }),
  );
  try {
    expect(JSON.parse(await worker.line(/working for/))).toMatchObject({ level: 'info' });
    const sessions = new PaymentSessions(new Client({ connection }), { taskQueue });
    for (let session = 0; session < SESSIONS; session += 1)
      await sessions.start({ key: newKey(), request: leftOpen() });
    await until(
      () => Promise.resolve(connections),
      (count) => count >= ATTEMPTS,
    );
  } finally {
    await connection.close();
    expect(await worker.interrupt()).toBe(0);
  }
  const warnings = linesOf(worker).filter(({ level }) => level !== 'info');
  expect(warnings).toHaveLength(2);
  const [first, summary] = warnings;
  expect(first).toMatchObject({
    account: 'default',
    code: expect.stringMatching(/^SERVICE_/),
    sessionKey: expect.anything(),
    runId: expect.anything(),
  });
  expect(summary).toMatchObject({ code: first?.['code'], repeated: expect.any(Number) });
  expect(Number(summary?.['repeated'])).toBeGreaterThanOrEqual(ATTEMPTS / 2);
  expect(worker.errors()).not.toContain('\u001b');
});

test('the worker’s log warns of a parked session, a possible orphan, and an accounts file that every user can read', async () => {
  const more = { PAYSESSION_LOG_LEVEL: 'debug', PAYSESSION_ACCOUNTS_FILE: exposedFile };
  const worker = startPaysession(['worker'], json(more));
  const [parked, orphan] = [newKey(), newKey()];
  try {
    await worker.line(/working for/);
    for (const [key, onUnknownCreate] of [
      [parked, 'park'],
      [orphan, 'retry'],
    ] as const) {
      sandbox.failNext('create', { kind: 'reset', phase: 'after' });
      const policy = JSON.stringify({ onUnknownCreate });
      await run('start', '--key', key, '--request', requestFile(eft()), '--policy', policy);
      await until(
        () => Promise.resolve(worker.errors()),
        (text) => text.includes(onUnknownCreate === 'park' ? '"parked"' : '"possibleOrphan"'),
      );
    }
  } finally {
    expect(await worker.interrupt()).toBe(0);
  }
  const warnings = linesOf(worker).filter(({ problem }) => problem !== undefined);
  expect(warnings).toEqual([
    expect.objectContaining({ level: 'warn', problem: 'parked', sessionKey: parked, account: 'default' }),
    expect.objectContaining({ level: 'warn', problem: 'possibleOrphan', sessionKey: orphan }),
  ]);
  for (const { runId } of warnings) expect(runId).toMatch(/^[\da-f-]{36}$/);
  const files = linesOf(worker).filter(({ setting }) => setting !== undefined);
  if (process.platform !== 'win32')
    expect(files).toEqual([expect.objectContaining({ level: 'warn', setting: 'PAYSESSION_ACCOUNTS_FILE' })]);
  expect(worker.errors()).not.toMatch(NAMES);
  expect(worker.errors()).not.toContain('secret-of-another');
  expect(worker.errors()).not.toContain(env['PAYSESSION_CLIENT_SECRET']);
});

test('the worker’s log reports that no collector accepts its traces', async () => {
  const worker = startPaysession(
    ['worker'],
    json({
      // No program listens on port 9.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    }),
  );
  try {
    await worker.line(/working for/);
    await run('start', '--key', newKey(), '--request', requestFile(leftOpen()));
    await until(
      () => Promise.resolve(worker.errors()),
      (text) => text.includes('traces could not be sent'),
    );
  } finally {
    expect(await worker.interrupt()).toBe(0);
  }
});

test('at its start, a worker logs the account whose credentials are refused, without the secret', async () => {
  const worker = startPaysession(['worker'], json({ PAYSESSION_CLIENT_SECRET: 'a-wrong-secret' }));
  const isRefusal = ({ code }: Readonly<Record<string, unknown>>) => code === 'SERVICE_CREDENTIALS_REJECTED';
  const lines = await until(
    () => Promise.resolve(linesOf(worker)),
    (found) => found.some(isRefusal),
  );
  expect(lines.filter(isRefusal)).toEqual([expect.objectContaining({ level: 'warn', account: 'default' })]);
  expect(worker.errors()).not.toContain('a-wrong-secret');
  await worker.interrupt();
});
