import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readHintSecret, readSettings } from '../../../src/settings';
import { failuresOf } from '../../support/settings/failures';

const SECRET = 'a-secret-of-the-shop';
const folder = mkdtempSync(join(tmpdir(), 'paysession-hints-'));
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, `${SECRET}\n`, { mode: 0o600 });

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const settingsOf = (env: Readonly<Record<string, string>>) =>
  readSettings({ HOME: folder, PAYSESSION_HINT_PORT: '9465', ...env });

// A hint is a request to the worker that says that a session has changed. The worker receives hints on a port of its own.
describe('the settings of hints', () => {
  test('are missing if none is set', () => {
    expect(readSettings({ HOME: folder })).not.toHaveProperty('hints');
    expect(readHintSecret({})).toBeUndefined();
  });

  test('have a loopback address by default, or the address of PAYSESSION_HINT_HOST', () => {
    const hints = { port: 9465, host: '127.0.0.1', secret: SECRET };
    expect(settingsOf({ PAYSESSION_HINT_SECRET: SECRET }).hints).toEqual(hints);
    const given = { PAYSESSION_HINT_SECRET_FILE: secretFile, PAYSESSION_HINT_HOST: '0.0.0.0' };
    expect(settingsOf(given).hints).toEqual({ ...hints, host: '0.0.0.0' });
    expect(readHintSecret(given)).toBe(SECRET);
  });

  test.each([
    ['PAYSESSION_HINT_SECRET', { PAYSESSION_HINT_SECRET: '' }],
    ['PAYSESSION_HINT_PORT', { PAYSESSION_HINT_SECRET: SECRET, PAYSESSION_HINT_PORT: '' }],
  ])('are refused without %s', (name, env) => {
    expect(failuresOf(() => settingsOf(env))).toEqual([`${name} is missing: hints need a port and a secret`]);
  });

  test.each(['hunter2', 'with a space in the middle', 'é'.repeat(20)])(
    'may not have the secret %j, and the message does not repeat the secret',
    (secret) => {
      expect(failuresOf(() => settingsOf({ PAYSESSION_HINT_SECRET: secret }))).toEqual([
        'PAYSESSION_HINT_SECRET must be 16 to 4096 printable ASCII characters without spaces',
      ]);
    },
  );
});
