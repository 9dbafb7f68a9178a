import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readWorkerSettings } from '../../../src/settings';
import { describeRights } from '../../support/rights';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-secret-files-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const KEY = createHash('sha256').update('a key of these tests').digest('base64');

const ACCOUNT = { baseUrl: 'https://pay.example', clientId: 'shop', clientSecret: 'secret-of-the-shop' };

function accountsFile(mode: number): string {
  const path = join(folder, 'accounts.json');
  writeFileSync(path, JSON.stringify({ accounts: { default: ACCOUNT } }));
  chmodSync(path, mode);
  return path;
}

const exposed = (path: string) =>
  readWorkerSettings({ HOME: folder, PAYSESSION_ACCOUNTS_FILE: path }).exposedFiles;

describeRights('a file of secrets', () => {
  test.each([0o600, 0o640, 0o440])(
    'with the mode %o is not reported, because only its owner and group can read it',
    (mode) => {
      expect(exposed(accountsFile(mode))).toEqual([]);
    },
  );

  test('that every user can read is used, but reported', () => {
    expect(exposed(accountsFile(0o644))).toEqual(['PAYSESSION_ACCOUNTS_FILE']);
  });

  test.each([
    ['PAYSESSION_ENCRYPTION_KEYS_FILE', `2031-05:${KEY}`],
    ['PAYSESSION_CODEC_TOKEN_FILE', 'a token of the codec server'],
  ])('that every user can read is also reported for %s', (setting, content) => {
    const path = join(folder, 'secret');
    writeFileSync(path, content);
    chmodSync(path, 0o644);
    const env = { HOME: folder, PAYSESSION_ACCOUNTS_FILE: accountsFile(0o600), [setting]: path };
    expect(readWorkerSettings(env).exposedFiles).toEqual([setting]);
  });

  test('may be a link, as in Kubernetes: then the rights of its target count', () => {
    const link = join(folder, 'link.json');
    symlinkSync(accountsFile(0o600), link);
    expect(exposed(link)).toEqual([]);
    accountsFile(0o644);
    expect(exposed(link)).toEqual(['PAYSESSION_ACCOUNTS_FILE']);
  });
});
