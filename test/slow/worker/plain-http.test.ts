import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { beforeEach, expect, test } from '@jest/globals';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import { readWorkerSettings } from '../../../src/settings';
import { runWorker } from '../../../worker';

const entries: LogEntry[] = [];
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN', (entry) => entries.push(entry)) });

beforeEach(() => {
  entries.length = 0;
});

/** Starts a worker with these settings, and returns its warnings about http. */
async function warningsFor(env: NodeJS.ProcessEnv): Promise<readonly LogEntry[]> {
  const settings = readWorkerSettings({
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
    PAYSESSION_TASK_QUEUE: `http-${randomUUID()}`,
    PAYSESSION_CLIENT_ID: 'client',
    PAYSESSION_CLIENT_SECRET: 'a-client-secret',
    ...env,
  });
  const stop = new AbortController();
  const onReady = () => {
    stop.abort();
  };
  await runWorker({ settings, signal: stop.signal, onReady });
  return entries.filter(({ message }) => message.includes('http'));
}

test('a worker that is allowed to call another machine over http starts with one warning', async () => {
  const warnings = await warningsFor({ PAYSESSION_BASE_URL: 'http://bank.example' });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({ level: 'WARN', meta: { accounts: ['default'] } });
  expect(warnings[0]?.message).toContain('PAYSESSION_ALLOW_HTTP');
  expect(inspect(warnings, { depth: 5 })).not.toContain('a-client-secret');
});

test.each([
  { PAYSESSION_BASE_URL: 'https://bank.example' },
  { PAYSESSION_BASE_URL: 'http://127.0.0.1:4010' },
  { PAYSESSION_BASE_URL: 'http://bank.example', PAYSESSION_ALLOW_HTTP: 'true' },
])('a worker with the settings %j does not warn about http', async (env) => {
  expect(await warningsFor(env)).toEqual([]);
});
