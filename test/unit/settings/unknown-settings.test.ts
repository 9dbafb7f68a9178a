import { describe, expect, test } from '@jest/globals';
import {
  readOptionalLedger,
  readTemporalSettings,
  readWebhooks,
  readWorkerSettings,
} from '../../../src/settings';
import { failuresOf } from '../../support/settings/failures';
import { KEPT_LEDGER, KEPT_SERVERS } from '../../../testkit/lent-servers';

const WORKER = {
  HOME: '/nowhere',
  PAYSESSION_BASE_URL: 'http://127.0.0.1:4010',
  PAYSESSION_CLIENT_ID: 'shop',
  PAYSESSION_CLIENT_SECRET: 'secret-of-the-shop',
};

const failuresOfWorker = (env: NodeJS.ProcessEnv) =>
  failuresOf(() => readWorkerSettings({ ...WORKER, ...env }));
const failuresOfClient = (env: NodeJS.ProcessEnv) =>
  failuresOf(() => readTemporalSettings({ HOME: '/nowhere', ...env }));

describe('a misspelt setting', () => {
  test.each([
    ['PAYSESSION_ENCRYPTON_KEYS', 'PAYSESSION_ENCRYPTION_KEYS'],
    ['PAYSESSION_ENCRYPTIONKEYS', 'PAYSESSION_ENCRYPTION_KEYS'],
    ['PAYSESSION_HEALT_PORT', 'PAYSESSION_HEALTH_PORT'],
    ['PAYSESSION_TASKQUEUE', 'PAYSESSION_TASK_QUEUE'],
    ['PAYSESSION_LOGLEVEL', 'PAYSESSION_LOG_LEVEL'],
  ])('%s is refused by a worker and a client, with a suggestion, and without its value', (name, meant) => {
    const expected = [`${name} is not a setting; did you mean ${meant}?`];
    expect(failuresOfWorker({ [name]: 'a-value' })).toEqual(expected);
    expect(failuresOfClient({ [name]: 'a-value' })).toEqual(expected);
  });

  test.each([
    ['the ledger’s settings', readOptionalLedger],
    ['the settings of webhooks', readWebhooks],
  ])('is refused by commands that read only %s', (_what, read) => {
    const env = { HOME: '/nowhere', PAYSESSION_LEDGER_ENVIROMENT: 'production' };
    expect(failuresOf(() => read(env))).toEqual([
      'PAYSESSION_LEDGER_ENVIROMENT is not a setting; did you mean PAYSESSION_LEDGER_ENVIRONMENT?',
    ]);
  });

  test('is listed with all other faults', () => {
    const failures = failuresOfWorker({ PAYSESSION_BASEURL: 'http://x', PAYSESSION_HEALTH_PORT: 'none' });
    expect(failures.map((failure) => failure.split(' ')[0])).toEqual([
      'PAYSESSION_BASEURL',
      'PAYSESSION_HEALTH_PORT',
    ]);
  });

  test('that is empty counts as unset', () => {
    expect(failuresOfWorker({ PAYSESSION_ENCRYPTON_KEYS: '' })).toEqual([]);
  });
});

test('a PAYSESSION_ variable that does not resemble a setting is refused by a worker, and ignored by a client', () => {
  expect(failuresOfWorker({ PAYSESSION_SHOP_COLOUR: 'red' })).toEqual([
    'PAYSESSION_SHOP_COLOUR is not a setting: remove it, or look it up in docs/reference/settings.md',
  ]);
  expect(failuresOfClient({ PAYSESSION_SHOP_COLOUR: 'red' })).toEqual([]);
});

test('variables that Kubernetes sets for Services named `paysession…` do not count as unknown settings', () => {
  const links = {
    PAYSESSION_SERVICE_HOST: '10.0.0.1',
    PAYSESSION_SERVICE_PORT: '80',
    PAYSESSION_PORT: 'tcp://10.0.0.1:80',
    PAYSESSION_PORT_80_TCP: 'tcp://10.0.0.1:80',
    PAYSESSION_WORKER_SERVICE_PORT_HTTP: '80',
    PAYSESSION_WORKER_PORT: 'tcp://10.0.0.2:80',
    PAYSESSION_WORKER_PORT_80_TCP_ADDR: '10.0.0.2',
  };
  expect(failuresOfWorker(links)).toEqual([]);
  expect(failuresOfWorker({ PAYSESSION_WORKER_PORT: '80' })).toHaveLength(1);
});

test.each([KEPT_SERVERS, KEPT_LEDGER])(
  'the variable %s, with which a test runner lends its servers, is accepted by a worker that a test starts',
  (name) => {
    expect(failuresOfWorker({ [name]: '/tmp/servers' })).toEqual([]);
  },
);
