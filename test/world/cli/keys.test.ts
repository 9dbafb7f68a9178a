import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { eft } from '../../support/requests';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const folder = mkdtempSync(join(tmpdir(), 'paysession-keys-'));
const { env } = useSandbox();

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('the command keys new prints one key on standard output, and the next step on standard error', async () => {
  const first = await paysession(['keys', 'new']);
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('PAYSESSION_ENCRYPTION_KEYS_FILE'),
  });
  expect(first.stdout).toMatch(/^\d{4}-\d\d-\d\d:[\w+/]{43}=\n$/);
  const second = await paysession(['keys', 'new', '--json'], {
    env: { PAYSESSION_ENCRYPTION_KEYS: first.stdout.trim() },
  });
  const { id, line, next } = JSON.parse(second.stdout) as Record<string, string>;
  expect(line).toMatch(/^\d{4}-\d\d-\d\d-b:/);
  expect(next).toContain(`${first.stdout.split(':')[0] ?? ''}, ${id ?? ''}`);
  expect(await paysession(['keys', 'new', '--id', 'a b'])).toMatchObject({ code: 2 });
});

test('the worker and the commands read keys from a file, and start fails if encryption is required and no keys are set', async () => {
  const file = join(folder, 'keys');
  writeFileSync(file, `2031-05-01:${randomBytes(32).toString('base64')}\n`);
  const required = { ...env, PAYSESSION_ENCRYPTION: 'required' };
  const keyed = { ...required, PAYSESSION_ENCRYPTION_KEYS_FILE: file };
  const worker = startPaysession(['worker'], keyed);
  await worker.line(/^working for default/);

  const stdin = JSON.stringify(eft('sandbox-completes'));
  const refused = await paysession(['start', '--key', newKey(), '--request', '-'], { env: required, stdin });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /^error INVALID_SETTINGS: .*PAYSESSION_ENCRYPTION is `required`, but there are no keys/,
  );

  const key = newKey();
  expect(await paysession(['start', '--key', key, '--request', '-'], { env: keyed, stdin })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const check = await paysession(['keys', 'check'], { env: keyed });
  expect(check).toMatchObject({ code: 0 });
  expect(check.stdout).toMatch(/^worker {9}\d+@\S+: 2031-05-01$/m);
  expect(check.stdout).toMatch(/^next {11}This machine and all workers encrypt with 2031-05-01\.$/m);
  const doctor = await paysession(['doctor'], { env: keyed });
  expect(doctor.stdout).toContain('✔ Encryption: keys here: 2031-05-01; required; the worker agrees');

  const without = await paysession(['keys', 'check', '--json'], { env });
  expect(without.code).toBe(5);
  expect(JSON.parse(without.stdout)).toMatchObject({
    here: [],
    workers: [{ encrypts: true, keyIds: ['2031-05-01'] }],
    next: { step: 'append', ok: false, text: expect.stringContaining('this machine') },
  });
  const plain = await paysession(['doctor'], { env });
  expect(plain.stdout).toContain('✘ Encryption: no keys here; plain text is accepted; workers encrypt');
  expect(await worker.interrupt()).toBe(0);
});
