import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { SETTINGS, readCacheFolder, readSettings, readWorkerSettings } from '../../../src/settings';
import { resolveOptions } from '../../../src/service/options';
import { failuresOf } from '../../support/settings/failures';

const HOME = join(tmpdir(), 'paysession-no-such-home');

const ACCOUNT = {
  PAYSESSION_BASE_URL: 'http://127.0.0.1:4010',
  PAYSESSION_CLIENT_ID: 'shop',
  PAYSESSION_CLIENT_SECRET: 'secret-of-the-shop',
};

test('a worker’s settings are its connection, accounts, task queue and health port', () => {
  const settings = readWorkerSettings({ HOME, ...ACCOUNT, PAYSESSION_HEALTH_PORT: '8080' });
  expect(settings).toMatchObject({ namespace: 'default', taskQueue: 'payment-sessions', healthPort: 8080 });
  expect(Object.keys(settings.accounts)).toEqual(['default']);
});

test('readWorkerSettings requires an account, and readSettings does not', () => {
  expect(failuresOf(() => readWorkerSettings({ HOME }))).toHaveLength(3);
  const settings = readSettings({ HOME });
  expect(settings.accounts).toEqual({});
  expect(settings).not.toHaveProperty('healthPort');
});

test('a worker’s probes and log have settings with defaults', () => {
  expect(readWorkerSettings({ HOME, ...ACCOUNT })).toMatchObject({
    healthHost: '127.0.0.1',
    log: { level: 'info' },
  });
  const given = {
    PAYSESSION_HEALTH_HOST: '0.0.0.0',
    PAYSESSION_LOG_LEVEL: 'warn',
    PAYSESSION_LOG_FORMAT: 'json',
  };
  expect(readWorkerSettings({ HOME, ...ACCOUNT, ...given })).toMatchObject({
    healthHost: '0.0.0.0',
    log: { level: 'warn', format: 'json' },
  });
});

test.each([
  ['PAYSESSION_LOG_LEVEL', 'verbose', 'must be one of debug, info, warn, error'],
  ['PAYSESSION_LOG_FORMAT', 'xml', 'must be json or text'],
  ['PAYSESSION_HEALTH_HOST', 'http://0.0.0.0', 'must be an address or the name of a host'],
])('the setting %s may not be %s', (name, value, message) => {
  expect(failuresOf(() => readSettings({ HOME, [name]: value }))).toEqual([`${name} ${message}`]);
});

test.each(['0', '65536', '80a', '-1', ' 80'])('the health port %p is refused', (port) => {
  expect(failuresOf(() => readSettings({ HOME, PAYSESSION_HEALTH_PORT: port }))).toHaveLength(1);
});

test('the failures of all settings are listed together', () => {
  const env = {
    HOME,
    TEMPORAL_ADDRESS: 'nowhere',
    PAYSESSION_BASE_URL: 'nowhere',
    PAYSESSION_HEALTH_PORT: 'none',
  };
  const names = failuresOf(() => readSettings(env)).map((failure) => failure.split(' ')[0]);
  expect(names).toEqual([
    'TEMPORAL_ADDRESS',
    'PAYSESSION_BASE_URL',
    'PAYSESSION_CLIENT_ID',
    'PAYSESSION_CLIENT_SECRET',
    'PAYSESSION_HEALTH_PORT',
  ]);
});

test('the cache is in the configured folder, in XDG_CACHE_HOME, or in the home folder, in this order', () => {
  const [own, shared] = [join(HOME, 'own'), join(HOME, 'shared')];
  expect(readCacheFolder({ HOME, XDG_CACHE_HOME: shared, PAYSESSION_CACHE_DIR: own })).toBe(own);
  expect(readCacheFolder({ HOME, XDG_CACHE_HOME: shared, PAYSESSION_CACHE_DIR: '' })).toBe(
    join(shared, 'paysession'),
  );
  expect(readCacheFolder({ HOME, XDG_CACHE_HOME: '' })).toBe(join(HOME, '.cache', 'paysession'));
});

test('a worker’s version needs a deployment name and a build id', () => {
  const version = { TEMPORAL_DEPLOYMENT_NAME: 'payments', TEMPORAL_WORKER_BUILD_ID: 'v2' };
  const { deployment } = readWorkerSettings({ HOME, ...ACCOUNT, ...version });
  expect(deployment).toEqual({ name: 'payments', buildId: 'v2' });
  expect(readWorkerSettings({ HOME, ...ACCOUNT })).not.toHaveProperty('deployment');
  for (const missing of Object.keys(version)) {
    expect(failuresOf(() => readWorkerSettings({ HOME, ...ACCOUNT, ...version, [missing]: '' }))).toEqual([
      `${missing} is missing: a worker’s version needs a deployment name and a build id`,
    ]);
  }
});

test('encryption keys and a rate limit are read; malformed values are reported, but not repeated', () => {
  const key = randomBytes(32).toString('base64');
  const given = { PAYSESSION_ENCRYPTION_KEYS: `a:${key}`, PAYSESSION_CALLS_PER_SECOND: '2.5' };
  const settings = readWorkerSettings({ HOME, ...ACCOUNT, ...given });
  expect(settings.encryption?.current.id).toBe('a');
  expect(settings.accounts['default']?.callsPerSecond).toBe(2.5);
  const failures = failuresOf(() =>
    readWorkerSettings({
      HOME,
      ...ACCOUNT,
      PAYSESSION_ENCRYPTION_KEYS: key,
      PAYSESSION_CALLS_PER_SECOND: 'many',
    }),
  );
  expect(failures.map((failure) => failure.split(' ')[0])).toEqual([
    'PAYSESSION_ENCRYPTION_KEYS',
    'PAYSESSION_CALLS_PER_SECOND',
  ]);
  expect(failures.join()).not.toContain(key);
});

test('the number of workers that share a rate limit is optional, and must be a whole number', () => {
  expect(readWorkerSettings({ HOME, ...ACCOUNT, PAYSESSION_WORKERS: '3' }).workers).toBe(3);
  expect(readWorkerSettings({ HOME, ...ACCOUNT })).not.toHaveProperty('workers');
  for (const wrong of ['0', '2.5', 'three', '1001'])
    expect(failuresOf(() => readWorkerSettings({ HOME, ...ACCOUNT, PAYSESSION_WORKERS: wrong }))).toEqual([
      expect.stringMatching(/^PAYSESSION_WORKERS must be a whole number/),
    ]);
});

test('by default, the timeouts of calls are those of the payment service’s client', () => {
  const { service, allowHttp } = readWorkerSettings({ HOME, ...ACCOUNT });
  const account = { baseUrl: 'https://pay.example', clientId: 'client', clientSecret: 'secret' };
  expect(resolveOptions({ account })).toMatchObject(service);
  expect(service).toEqual({
    headersTimeoutMs: 10_000,
    exchangeTimeoutMs: 15_000,
  });
  expect(allowHttp).toBe(false);
});

test('PAYSESSION_ANSWER_TIMEOUT sets the timeout of an answer’s headers, and the timeout of the exchange is five seconds longer', () => {
  const { service, allowHttp } = readWorkerSettings({
    HOME,
    ...ACCOUNT,
    PAYSESSION_ANSWER_TIMEOUT: '2500ms',
    PAYSESSION_ALLOW_HTTP: '1',
  });
  expect(service).toEqual({ headersTimeoutMs: 2_500, exchangeTimeoutMs: 7_500 });
  expect(allowHttp).toBe(true);
});

test('a worker exports traces if a variable of OpenTelemetry names an endpoint for traces', () => {
  const tracesFor = (env: NodeJS.ProcessEnv) => readWorkerSettings({ HOME, ...ACCOUNT, ...env }).traces;
  expect(tracesFor({})).toBeUndefined();
  expect(tracesFor({ PAYSESSION_TRACED_POLLS: 'all' })).toBeUndefined();
  expect(tracesFor({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toEqual({ polls: 'changes' });
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'http://collector:4318/v1/traces';
  const all = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, PAYSESSION_TRACED_POLLS: 'all' };
  expect(tracesFor(all)).toEqual({ polls: 'all' });
});

test.each([
  ['PAYSESSION_ANSWER_TIMEOUT', '10', '2s to 25s'],
  ['PAYSESSION_ANSWER_TIMEOUT', '0s', '2s to 25s'],
  ['PAYSESSION_ANSWER_TIMEOUT', '26s', '2s to 25s'],
  ['PAYSESSION_ANSWER_TIMEOUT', 'soon', '2s to 25s'],
  ['PAYSESSION_ANSWER_TIMEOUT', '-5s', '2s to 25s'],
])('the setting %s may not be the duration %s', (name, value, bounds) => {
  expect(failuresOf(() => readSettings({ HOME, [name]: value }))).toEqual([
    `${name} must be a duration from ${bounds}`,
  ]);
});

test('the table of settings names each setting once, and marks each secret', () => {
  const names = SETTINGS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(SETTINGS.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
    'TEMPORAL_API_KEY',
    'TEMPORAL_TLS_CLIENT_KEY_DATA',
    'TEMPORAL_GRPC_META_*',
    'PAYSESSION_ENCRYPTION_KEYS',
    'PAYSESSION_CODEC_TOKEN',
    'PAYSESSION_CLIENT_SECRET',
    'PAYSESSION_HINT_SECRET',
    'PAYSESSION_LEDGER_URL',
    'PAYSESSION_LEDGER_SIGNING_KEY',
    'PAYSESSION_WEBHOOK_SECRET',
    'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET',
    'PAYSESSION_CONSOLE_SECRET',
  ]);
});
