import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseSandboxClients } from '../../../sandbox/clients';
import { resolveOptions } from '../../../src/service/options';
import {
  readCacheFolder,
  readWebhooks,
  readTemporalSettings,
  readWorkerSettings,
  SETTINGS,
  type Environment,
} from '../../../src/settings';
import { SettingsReader, type SettingName } from '../../../src/settings/parse-settings';
import { readSecret } from '../../../src/settings/secret-files';
import type { Setting } from '../../../src/settings/table/setting-row';
import { errorOf, failuresOf } from '../../support/settings/failures';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const ROWS: readonly Setting[] = SETTINGS;
const NAMES = SETTINGS.flatMap(({ name }) => (name === 'TEMPORAL_GRPC_META_*' ? [] : [name]));
const CONTROLS = ['\t', '\n\n', '\n \n', '\r', '\0', '\x7f', '\x85'];
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Values of all forms: at least one of them is valid for each setting. */
const VALUES = [
  'text',
  'true',
  'required',
  '7233',
  '127.0.0.1:7233',
  '10s',
  'https://pay.example',
  'postgresql://user:password@host/ledger',
  'openid email',
  'America/Toronto',
  'a-token-of-32-characters-or-more',
  '5f'.repeat(32),
  WEBHOOK_SECRET,
];

/** Returns the value of a setting, and its failures. */
function parse(env: Environment, name: SettingName) {
  const settings = new SettingsReader(env);
  return { value: settings.read(name), failures: settings.failures };
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-secrets-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileWith(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('every setting', () => {
  test('is read without a line break at its end', () => {
    for (const name of NAMES)
      for (const value of VALUES) {
        const read = parse({ [name]: value }, name);
        for (const end of ['\n', '\r\n'])
          expect([name, parse({ [name]: value + end }, name)]).toEqual([name, read]);
      }
  });

  test('counts as unset if it is only a line break', () => {
    for (const name of NAMES) expect([name, parse({ [name]: '\n' }, name)]).toEqual([name, parse({}, name)]);
  });

  test.each(CONTROLS)(
    'with the control character %j is refused; the error has the setting’s name, but not its value',
    (control) => {
      for (const { name, hasLines } of ROWS.filter(({ name }) => !name.endsWith('*')))
        for (const value of [`hush${control}`, `hush${control}hush`, `${control}hush`]) {
          if (hasLines && /^[\n\r ]+$/.test(control)) continue;
          const { failures } = parse({ [name]: value }, name as SettingName);
          expect(failures).toEqual([{ path: name, message: expect.stringContaining('control characters') }]);
          expect(JSON.stringify(failures)).not.toContain('hush');
        }
    },
  );

  test('is refused if it contains U+FFFD, with which Node replaces bytes that are not UTF-8', () => {
    for (const name of NAMES)
      expect(parse({ [name]: 'hush\ufffd' }, name).failures).toEqual([
        { path: name, message: 'is not UTF-8' },
      ]);
  });
});

const SECRETS = [
  ['PAYSESSION_LEDGER_URL', 'postgresql://user:password@host/ledger'],
  ['PAYSESSION_CODEC_TOKEN', 'a-token-of-16-or-more'],
  ['PAYSESSION_WEBHOOK_SECRET', WEBHOOK_SECRET],
  ['PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET', 'a secret with a space '],
  ['PAYSESSION_CONSOLE_SECRET', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['PAYSESSION_LEDGER_SIGNING_KEY', 'PRIVATE+KEY+ledger.example+0123abcd+c2VjcmV0'],
] as const;

describe.each(SECRETS)('the secret %s', (name, value) => {
  const readFrom = (env: Environment) => {
    const settings = new SettingsReader(env);
    return { value: readSecret(settings, name), failures: settings.failures };
  };
  const read = (text: string | Uint8Array) => readFrom({ [`${name}_FILE`]: fileWith('secret', text) });

  test('can be in a variable or in a file, with or without a line break at the end', () => {
    for (const end of ['', '\n', '\r\n']) {
      expect(read(`${value}${end}`)).toEqual({ value, failures: [] });
      expect(read(`\ufeff${value}${end}`)).toEqual({ value, failures: [] });
      expect(readFrom({ [name]: `${value}${end}` })).toEqual({ value, failures: [] });
    }
  });

  test.each(CONTROLS)(
    'from a file with %j is refused; the error names the file’s setting, and does not contain the secret',
    (control) => {
      const { failures } = read(`${value}${control}`);
      expect(failures).toEqual([
        { path: `${name}_FILE`, message: expect.stringContaining('control characters') },
      ]);
      expect(JSON.stringify(failures)).not.toContain(value);
    },
  );

  test.each([
    ['is not UTF-8 in line 1', Buffer.from('Chlo\xe9', 'latin1')],
    ['is UTF-16, not UTF-8', Buffer.from(`\ufeff${value}`, 'utf16le')],
  ])('from a file that %s is refused', (fault, bytes) => {
    expect(read(bytes).failures).toEqual([
      { path: `${name}_FILE`, message: `names a file that ${fault}: ${join(folder, 'secret')}` },
    ]);
  });
});

describe('a setting of the connection to Temporal', () => {
  const read = (env: Environment) => readTemporalSettings({ HOME: folder, XDG_CONFIG_HOME: folder, ...env });

  test('is read without the line break at its end', () => {
    const { connection, namespace } = read({
      TEMPORAL_ADDRESS: 'temporal.example:7233\n',
      TEMPORAL_NAMESPACE: 'payments\r\n',
      TEMPORAL_API_KEY: 'key.of.cloud\n',
      TEMPORAL_GRPC_META_X_TEAM: 'payments\n',
    });
    expect([connection.address, namespace]).toEqual(['temporal.example:7233', 'payments']);
    expect([connection.apiKey, connection.metadata]).toEqual(['key.of.cloud', { 'x-team': 'payments' }]);
  });

  test.each(['key\n\n', 'key\t', 'k\ney', 'key\u00a0', 'clé'])(
    'may not be the API key or header %j',
    (value) => {
      for (const name of ['TEMPORAL_API_KEY', 'TEMPORAL_GRPC_META_X_TEAM'])
        expect(failuresOf(() => read({ [name]: value }))).toEqual([
          expect.stringMatching(
            new RegExp(`^${name} must (not contain control|be printable ASCII) characters`),
          ),
        ]);
      const config = fileWith('temporal.toml', `[profile.default]\napi_key = ${JSON.stringify(value)}\n`);
      expect(failuresOf(() => read({ TEMPORAL_CONFIG_FILE: config }))).toEqual([
        `TEMPORAL_CONFIG_FILE names ${config}, whose api_key must be printable ASCII characters, as in a header`,
      ]);
    },
  );

  test('may be in a configuration file with a line break or a byte order mark', () => {
    const config = fileWith('temporal.toml', '\ufeff[profile.default]\napi_key = """\nkey.of.cloud\n"""\n');
    expect(read({ TEMPORAL_CONFIG_FILE: `${config}\n` }).connection.apiKey).toBe('key.of.cloud');
  });

  test('may not be in a configuration file that is not UTF-8', () => {
    const config = fileWith(
      'temporal.toml',
      Buffer.from('[profile.default]\nnamespace = "caf\xe9"\n', 'latin1'),
    );
    expect(failuresOf(() => read({ TEMPORAL_CONFIG_FILE: config }))).toEqual([
      `TEMPORAL_CONFIG_FILE names a file that is not UTF-8 in line 2: ${config}`,
    ]);
  });

  test('may be a certificate of several lines, but without other control characters', () => {
    const PEM = '-----BEGIN KEY-----\r\nAAAA\n-----END KEY-----\n';
    const env = { TEMPORAL_TLS_CLIENT_CERT_DATA: PEM, TEMPORAL_TLS_CLIENT_KEY_DATA: PEM };
    expect(read(env).connection.tls).toMatchObject({ clientCertPair: {} });
    expect(failuresOf(() => read({ ...env, TEMPORAL_TLS_CLIENT_KEY_DATA: `${PEM}\t` }))).toEqual([
      'TEMPORAL_TLS_CLIENT_KEY_DATA must not contain control characters other than line breaks',
    ]);
  });
});

describe('credentials for the payment service', () => {
  const account = { baseUrl: 'http://127.0.0.1:4010', clientId: 'shop', clientSecret: 'hush' };
  const inVariables = ({ baseUrl, clientId, clientSecret } = account) =>
    readWorkerSettings({
      PAYSESSION_BASE_URL: baseUrl,
      PAYSESSION_CLIENT_ID: clientId,
      PAYSESSION_CLIENT_SECRET: clientSecret,
    }).accounts;
  const inFile = (given = account) =>
    readWorkerSettings({
      PAYSESSION_ACCOUNTS_FILE: fileWith('a.json', JSON.stringify({ accounts: { default: given } })),
    }).accounts;

  test.each(['\n', '\r\n'])(
    'are read without %j at the end, from variables, from the accounts file and from the sandbox’s clients',
    (end) => {
      const ended = Object.fromEntries(Object.entries(account).map(([name, text]) => [name, text + end]));
      for (const read of [inVariables, inFile])
        expect(read(ended as typeof account)['default']).toMatchObject(account);
      const { baseUrl: _baseUrl, ...credentials } = ended;
      const [client] = parseSandboxClients([{ ...DEFAULT_CLIENT, ...credentials }]);
      expect(client).toMatchObject({ clientId: 'shop', clientSecret: 'hush' });
    },
  );

  test.each(CONTROLS)('with the control character %j are refused, even in a program’s options', (control) => {
    for (const name of ['clientId', 'clientSecret'] as const) {
      const wrong = { ...account, [name]: `hush${control}` };
      expect(failuresOf(() => inVariables(wrong))).toEqual([expect.stringContaining('control characters')]);
      const answers = [
        errorOf(() => inFile(wrong)),
        errorOf(() => parseSandboxClients([{ ...DEFAULT_CLIENT, ...wrong }])),
      ];
      for (const { code, message } of answers) {
        expect([code, message]).toEqual([
          'INVALID_FILE',
          expect.stringMatching(new RegExp(`${name}.*control characters`)),
        ]);
        expect(message).not.toContain('hush');
      }
      expect(failuresOf(() => resolveOptions({ account: wrong }))).toEqual([
        `${name} must not contain control characters, such as a line break or a tab`,
      ]);
    }
  });
});

test('URLs and secrets of webhooks are read from their file without a line break at the end', () => {
  const endpoints = { shop: { url: 'https://shop.example/webhooks\n', secrets: [`${WEBHOOK_SECRET}\n`] } };
  const webhooks = readWebhooks({
    PAYSESSION_WEBHOOK_FILE: fileWith('webhooks.json', JSON.stringify({ endpoints })),
  });
  expect(webhooks?.endpoints).toMatchObject([
    { url: 'https://shop.example/webhooks', secrets: [WEBHOOK_SECRET] },
  ]);
});

test.each(['p%0A', 'p%0d%0a', 'p%09', '%00', '%E9', '%', 'p%7F'])(
  'a ledger’s URL with the password %s is refused, and the message contains no part of the URL',
  (password) => {
    const name = 'PAYSESSION_LEDGER_URL';
    const { failures } = parse({ [name]: `postgresql://hush:${password}@host/ledger` }, name);
    expect(failures).toEqual([{ path: name, message: expect.stringContaining('must be a URL') }]);
    expect(JSON.stringify(failures)).not.toContain('hush');
  },
);

test('the setting of the folder for downloads is read without a line break at its end', () => {
  expect(readCacheFolder({ PAYSESSION_CACHE_DIR: `${folder}\n` })).toBe(folder);
  expect(failuresOf(() => readCacheFolder({ PAYSESSION_CACHE_DIR: `${folder}\t` }))).toHaveLength(1);
});
