import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readTemporalSettings, type Environment } from '../../../src/settings';
import { failuresOf } from '../../support/settings/failures';

const SECRET = 'a-secret-that-must-not-show';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-settings-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Reads settings without the configuration file of this machine's user. */
function read(env: Environment = {}) {
  return readTemporalSettings({ HOME: folder, XDG_CONFIG_HOME: folder, ...env });
}

test('without settings, Temporal is localhost:7233, with the namespace `default` and the task queue `payment-sessions`', () => {
  expect(read({ TEMPORAL_ADDRESS: '', TEMPORAL_API_KEY: '' })).toEqual({
    connection: { address: 'localhost:7233' },
    namespace: 'default',
    taskQueue: 'payment-sessions',
    encryptionRequired: false,
    addressIsSet: false,
  });
});

test('environment variables set Temporal’s address, namespace, API key, headers and the task queue', () => {
  const env = {
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_NAMESPACE: 'payments',
    TEMPORAL_API_KEY: SECRET,
    TEMPORAL_GRPC_META_X_TEAM: 'payments',
    PAYSESSION_TASK_QUEUE: 'mine',
  };
  expect(read(env)).toEqual({
    connection: {
      address: 'temporal.example:7233',
      apiKey: SECRET,
      tls: true,
      metadata: { 'x-team': 'payments' },
    },
    namespace: 'payments',
    taskQueue: 'mine',
    encryptionRequired: false,
    addressIsSet: true,
  });
});

test('certificates and keys for mutual TLS with Temporal may be files or texts', () => {
  const env = {
    TEMPORAL_TLS_CLIENT_CERT_PATH: fileWith('client.pem', 'certificate'),
    TEMPORAL_TLS_CLIENT_KEY_DATA: 'key',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: fileWith('ca.pem', 'authority'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  };
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
  expect(read(env).connection.tls).toEqual({
    clientCertPair: { crt: bytes('certificate'), key: bytes('key') },
    serverRootCACertificate: bytes('authority'),
    serverNameOverride: 'temporal.example',
  });
  expect(read({ ...env, TEMPORAL_TLS: 'false' }).connection.tls).toBe(false);
});

describe('a configuration file of Temporal', () => {
  const TOML = `
[profile.default]
address = "file.example:7233"
namespace = "from-file"
[profile.other]
address = "other.example:7233"
`;

  test('supplies values that the environment does not have', () => {
    const config = fileWith('temporal.toml', TOML);
    const settings = read({ TEMPORAL_CONFIG_FILE: config, TEMPORAL_NAMESPACE: 'from-environment' });
    expect(settings).toMatchObject({
      connection: { address: 'file.example:7233' },
      namespace: 'from-environment',
      addressIsSet: true,
    });
    expect(read({ TEMPORAL_CONFIG_FILE: config, TEMPORAL_PROFILE: 'other' }).connection.address).toBe(
      'other.example:7233',
    );
  });

  test('is refused if it does not have the profile', () => {
    const config = fileWith('temporal.toml', TOML);
    expect(failuresOf(() => read({ TEMPORAL_CONFIG_FILE: config, TEMPORAL_PROFILE: 'third' }))).toEqual([
      'TEMPORAL_PROFILE names a profile that is not in the configuration file: third',
    ]);
  });

  test('is refused if it is malformed, and the error does not quote the file', () => {
    const config = fileWith('temporal.toml', `[profile.default]\napi_key = "${SECRET}" oops\n`);
    const failures = failuresOf(() => read({ TEMPORAL_CONFIG_FILE: config }));
    expect(failures).toEqual([
      `TEMPORAL_CONFIG_FILE is malformed, or names files that cannot be read: ${config}`,
    ]);
  });
});

test('a folder in place of a certificate file is refused, and the error names the setting', () => {
  expect(failuresOf(() => read({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: folder }))).toEqual([
    `TEMPORAL_TLS_SERVER_CA_CERT_PATH names a file that cannot be read: ${folder}`,
  ]);
});

test('all faults of Temporal’s settings are listed together', () => {
  const missing = join(folder, 'missing');
  const env = {
    TEMPORAL_ADDRESS: 'http://temporal.example',
    TEMPORAL_TLS: 'yes',
    TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true',
    TEMPORAL_CONFIG_FILE: missing,
    TEMPORAL_TLS_CLIENT_KEY_PATH: missing,
    TEMPORAL_TLS_CLIENT_KEY_DATA: SECRET,
    PAYSESSION_TASK_QUEUE: 'x'.repeat(201),
  };
  expect(failuresOf(() => read(env))).toEqual([
    'PAYSESSION_TASK_QUEUE must have at most 200 characters',
    'TEMPORAL_ADDRESS must be HOST:PORT, without a scheme',
    'TEMPORAL_TLS must be true or false',
    'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported by Temporal’s TypeScript SDK; give TEMPORAL_TLS_SERVER_CA_CERT_PATH instead',
    `TEMPORAL_CONFIG_FILE names a file that cannot be read: ${missing}`,
    `TEMPORAL_TLS_CLIENT_KEY_PATH names a file that cannot be read: ${missing}`,
    'TEMPORAL_TLS_CLIENT_KEY_PATH cannot be set together with TEMPORAL_TLS_CLIENT_KEY_DATA',
    'TEMPORAL_TLS_CLIENT_CERT_PATH is required with TEMPORAL_TLS_CLIENT_KEY_PATH or _DATA',
  ]);
});
