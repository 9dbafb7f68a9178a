import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readTemporalSettings, type Environment } from '../../../src/settings';
import { failuresOf } from '../../support/settings/failures';

const KEY = `a:${randomBytes(32).toString('base64')}`;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-settings-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function keysFile(text: string): string {
  const path = join(folder, 'keys');
  writeFileSync(path, text);
  return path;
}

const read = (env: Environment) => readTemporalSettings({ HOME: folder, XDG_CONFIG_HOME: folder, ...env });

test('encryption keys may be in a file, one key per line', () => {
  const other = `b:${randomBytes(32).toString('base64')}`;
  const { encryption } = read({ PAYSESSION_ENCRYPTION_KEYS_FILE: keysFile(`${KEY}\n${other}\n`) });
  expect(encryption?.current.id).toBe('a');
  expect(encryption?.earlier?.map(({ id }) => id)).toEqual(['b']);
});

test.each([
  ['does not exist', () => join(folder, 'none'), 'names a file that cannot be read'],
  ['is a folder', () => folder, 'names a file that cannot be read'],
  ['is too large', () => keysFile(`${KEY}\n`.repeat(5_000)), 'names a file that is too large'],
  ['is empty', () => keysFile('\n'), 'names an empty file'],
  ['contains something else', () => keysFile('the key is under the mat'), 'which must be ID:KEY'],
  [
    'contains a weak key',
    () => keysFile(`a:${Buffer.alloc(32).toString('base64')}`),
    'which key a must be random',
  ],
])(
  'a file of encryption keys that %s is refused, and the error does not quote the file',
  (_name, path, said) => {
    const failures = failuresOf(() => read({ PAYSESSION_ENCRYPTION_KEYS_FILE: path() }));
    expect(failures).toEqual([expect.stringMatching(/^PAYSESSION_ENCRYPTION_KEYS_FILE names /)]);
    expect(failures.join()).toContain(said);
    expect(failures.join()).not.toMatch(/under the mat|AAAA/);
  },
);

test('encryption keys are refused if both the variable and the file are set', () => {
  const env = { PAYSESSION_ENCRYPTION_KEYS: KEY, PAYSESSION_ENCRYPTION_KEYS_FILE: keysFile(KEY) };
  expect(failuresOf(() => read(env))).toEqual([
    'PAYSESSION_ENCRYPTION_KEYS_FILE cannot be set together with PAYSESSION_ENCRYPTION_KEYS',
  ]);
});

test('required encryption needs keys', () => {
  expect(failuresOf(() => read({ PAYSESSION_ENCRYPTION: 'required' }))).toEqual([
    expect.stringContaining('PAYSESSION_ENCRYPTION is `required`, but there are no keys'),
  ]);
  const settings = read({ PAYSESSION_ENCRYPTION: 'required', PAYSESSION_ENCRYPTION_KEYS: KEY });
  expect(settings.encryptionRequired).toBe(true);
  expect(failuresOf(() => read({ PAYSESSION_ENCRYPTION: 'yes' }))).toEqual([
    'PAYSESSION_ENCRYPTION must be required or optional',
  ]);
});
