import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from '@jest/globals';
import { eft } from '../../support/requests';
import { until } from '../../support/wait';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const WORKERS = `workers:${randomBytes(32).toString('base64')}`;
const OTHER = `other:${randomBytes(32).toString('base64')}`;

const { env } = useSandbox();
env['PAYSESSION_ENCRYPTION_KEYS'] = WORKERS;
let worker: Running;

beforeAll(async () => {
  worker = startPaysession(['worker'], env);
  await worker.line(/^working for default/);
});

test('if workers lack the encryption key of sessions, the worker’s log warns once, and doctor names these sessions', async () => {
  if (worker.child.stderr === null) throw new Error('no log');
  const log = text(worker.child.stderr);
  const keys = [1, 2, 3].map(newKey);
  const others = { ...env, PAYSESSION_ENCRYPTION_KEYS: `${OTHER},${WORKERS}` };
  for (const key of keys) {
    const start = await paysession(['start', '--key', key, '--request', '-'], {
      env: others,
      stdin: JSON.stringify(eft()),
    });
    expect(start.code).toBe(0);
  }
  const { code, stdout } = await until(
    () => paysession(['doctor'], { env }),
    (doctor) => doctor.stdout.includes('3 cannot continue'),
  );
  expect(code).toBe(5);
  for (const key of keys) expect(stdout).toContain(`payment-session/${key}`);
  expect(stdout).toMatch(/✘ Open sessions: .*\n {4}.*PAYSESSION_ENCRYPTION_KEYS/);
  expect(await worker.interrupt()).toBe(0);
  const warnings = (await log).split('\n').filter((line) => /WARN.*no key has the id "other"/.test(line));
  expect(warnings).toHaveLength(1);
});
