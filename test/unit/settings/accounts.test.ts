import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readWorkerSettings, type Environment } from '../../../src/settings';
import { errorOf, failuresOf } from '../../support/settings/failures';

const readAccounts = (env: Environment) => readWorkerSettings(env).accounts;

const SECRET = 'a-secret-that-must-not-show';

const VARIABLES = {
  PAYSESSION_BASE_URL: 'http://127.0.0.1:4010',
  PAYSESSION_CLIENT_ID: 'shop',
  PAYSESSION_CLIENT_SECRET: SECRET,
};

const DEFAULT_ACCOUNT = {
  baseUrl: 'http://127.0.0.1:4010',
  clientId: 'shop',
  clientSecret: SECRET,
};
const OTHER_ACCOUNT = { baseUrl: 'https://pay.example/api', clientId: 'other', clientSecret: SECRET };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-settings-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function accountsFile(text: string): string {
  const path = join(folder, 'accounts.json');
  writeFileSync(path, text);
  return path;
}

describe('the three variables of the payment service’s account', () => {
  test('are the account `default`', () => {
    expect(readAccounts(VARIABLES)).toEqual({ default: DEFAULT_ACCOUNT });
  });

  test('are all reported as missing if no account is configured', () => {
    const missing =
      'is required for the account `default`; for several accounts, set PAYSESSION_ACCOUNTS_FILE';
    expect(failuresOf(() => readAccounts({ PAYSESSION_CLIENT_ID: '' }))).toEqual([
      `PAYSESSION_BASE_URL ${missing}`,
      `PAYSESSION_CLIENT_ID ${missing}`,
      `PAYSESSION_CLIENT_SECRET ${missing}`,
    ]);
  });

  test('must be set together, even if there is an accounts file', () => {
    const file = accountsFile(JSON.stringify({ accounts: { other: OTHER_ACCOUNT } }));
    const env = { PAYSESSION_CLIENT_SECRET: SECRET, PAYSESSION_ACCOUNTS_FILE: file };
    const failures = failuresOf(() => readAccounts(env));
    expect(failures.map((failure) => failure.split(' ')[0])).toEqual([
      'PAYSESSION_BASE_URL',
      'PAYSESSION_CLIENT_ID',
    ]);
    expect(failures.join()).not.toContain(SECRET);
  });

  test.each([
    'pay.example',
    'ftp://pay.example',
    `http://user:${SECRET}@pay.example`,
    'http://pay.example?a=b',
  ])('refuse the base URL %s, and the message does not repeat it', (url) => {
    expect(failuresOf(() => readAccounts({ ...VARIABLES, PAYSESSION_BASE_URL: url }))).toEqual([
      'PAYSESSION_BASE_URL must be an absolute http or https URL without credentials, query or fragment',
    ]);
  });
});

describe('the accounts file', () => {
  test('names accounts, and the three variables add the account `default`', () => {
    const file = accountsFile(JSON.stringify({ accounts: { other: OTHER_ACCOUNT } }));
    expect(readAccounts({ PAYSESSION_ACCOUNTS_FILE: file })).toEqual({ other: OTHER_ACCOUNT });
    expect(readAccounts({ ...VARIABLES, PAYSESSION_ACCOUNTS_FILE: file })).toEqual({
      default: DEFAULT_ACCOUNT,
      other: OTHER_ACCOUNT,
    });
  });

  test('may contain the account `default`, which the three variables replace', () => {
    const file = accountsFile(JSON.stringify({ accounts: { default: OTHER_ACCOUNT } }));
    expect(readAccounts({ PAYSESSION_ACCOUNTS_FILE: file })).toEqual({ default: OTHER_ACCOUNT });
    expect(readAccounts({ ...VARIABLES, PAYSESSION_ACCOUNTS_FILE: file })).toEqual({
      default: DEFAULT_ACCOUNT,
    });
  });

  test.each([
    ['is not JSON', `{"accounts": {"other": {"clientSecret": "${SECRET}"`, ['it is not JSON']],
    ['names no account', '{"accounts": {}}', ['accounts must name at least one account']],
    ['is not an object', '[]', ['the file']],
    [
      'has several faults',
      JSON.stringify({
        accounts: {
          one: { baseUrl: 'nowhere', clientId: '', clientSecret: SECRET },
          two: { baseUrl: 'http://pay.example', clientId: 2, clientSecret: [SECRET], note: SECRET },
        },
      }),
      [
        'accounts.one.baseUrl must be an absolute http or https URL',
        'accounts.one.clientId must not be empty',
        'accounts.two.clientId must be text',
        'accounts.two.clientSecret must be text',
        'accounts.two Unrecognized key: "note"',
      ],
    ],
  ])('that %s is refused; the error lists all faults and contains no secret', (_what, text, parts) => {
    const file = accountsFile(text);
    const { code, message } = errorOf(() => readAccounts({ PAYSESSION_ACCOUNTS_FILE: file }));
    expect(code).toBe('INVALID_FILE');
    for (const part of [file, ...parts]) expect(message).toContain(part);
    expect(message).not.toContain(SECRET);
  });

  test.each([
    ['may have 100 characters outside the basic multilingual plane', '😀'.repeat(100), undefined],
    ['may not have 101 characters', 'a'.repeat(101), 'must be text of 1 to 100 characters'],
    ['may not be empty', '', 'must be text of 1 to 100 characters'],
    ['may not contain a line break', 'a\nb', 'must not contain control characters or line separators'],
  ])('names accounts: a name %s', (_what, name, fault) => {
    const file = accountsFile(JSON.stringify({ accounts: { [name]: OTHER_ACCOUNT } }));
    const read = () => readAccounts({ PAYSESSION_ACCOUNTS_FILE: file });
    if (fault === undefined) expect(read()).toEqual({ [name]: OTHER_ACCOUNT });
    else expect(errorOf(read).message).toMatch(new RegExp(`cannot be used: a name in accounts ${fault}`));
  });

  test('that is missing, not a file, or huge is refused', () => {
    const missing = join(folder, 'missing.json');
    expect(errorOf(() => readAccounts({ PAYSESSION_ACCOUNTS_FILE: missing }))).toEqual({
      code: 'INVALID_FILE',
      message: `The accounts file ${missing} cannot be used: there is no such file. Correct PAYSESSION_ACCOUNTS_FILE, or create the file`,
    });
    expect(errorOf(() => readAccounts({ PAYSESSION_ACCOUNTS_FILE: folder })).message).toContain(
      'it cannot be read',
    );
    const huge = accountsFile(' '.repeat(2 * 1024 * 1024));
    expect(errorOf(() => readAccounts({ PAYSESSION_ACCOUNTS_FILE: huge })).message).toContain(
      'more than 1048576 bytes',
    );
  });
});
