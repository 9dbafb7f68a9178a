import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { examineWorkers } from '../../../cli/commands/doctor/workers';
import { connectTemporal, readTemporalSettings } from '../../../src/settings';
import { eft, leftOpen } from '../../support/requests';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { env, run, requestFile } = useSandbox();
const key = newKey();
const queue = env['PAYSESSION_TASK_QUEUE'] ?? '';

beforeAll(async () => {
  expect((await run('start', '--key', key, '--request', requestFile(eft()))).code).toBe(0);
});

describe('without a worker', () => {
  test('start succeeds, and warns that the session waits for a worker', async () => {
    const start = ['start', '--key', newKey(), '--request', requestFile(eft())];
    expect(await run(...start)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^started payment-session\//),
      stderr: expect.stringMatching(new RegExp(`^warning: no worker polls the task queue "${queue}"`)),
    });
    const { stderr } = await run(...start, '--json');
    expect(JSON.parse(stderr)).toEqual({ warning: { message: expect.stringContaining(queue) } });
  });

  test.each([
    ['start', '--request', 'REQUEST', '--open'],
    ['start', '--request', 'REQUEST', '--wait'],
    ['history'],
    ['watch'],
    ['refresh'],
    ['resolve', '--retry'],
  ])('the command %s names the task queue (case %#)', async (command, ...args) => {
    const options = args.map((arg) => (arg === 'REQUEST' ? requestFile(eft()) : arg));
    const target = command === 'start' ? ['--key', newKey()] : [key];
    const { code, stderr } = await run(command, ...target, ...options);
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`"${queue}"`) });
  });
});

describe('doctor', () => {
  const examined = async (taskQueue: string) => {
    const { connection, namespace } = await connectTemporal(readTemporalSettings(env));
    try {
      return await examineWorkers(new Client({ connection, namespace }), taskQueue);
    } finally {
      await connection.close();
    }
  };

  test('reports a task queue without workers as a fault only if sessions wait there', async () => {
    const waiting = /^no worker polls the task queue .*; open sessions waiting for one: \d+$/;
    expect(await examined(queue)).toMatchObject({ ok: false, found: expect.stringMatching(waiting) });
    const idle = await examined(`nobody-${randomUUID()}`);
    expect(idle).toMatchObject({ ok: true, fix: expect.stringContaining('paysession worker') });
  });

  test('reports that no worker answers for an open session, although the Temporal server still lists workers', async () => {
    const left = { ...env, PAYSESSION_TASK_QUEUE: `left-${randomUUID()}` };
    const worker = startPaysession(['worker'], left);
    await worker.line(/^working for default/);
    const start = ['start', '--key', newKey(), '--request', requestFile(leftOpen()), '--open'];
    expect((await paysession(start, { env: left })).code).toBe(0);
    const there = await examined(left.PAYSESSION_TASK_QUEUE);
    expect(there).toMatchObject({
      ok: true,
      found: expect.stringMatching(/^1 polls .* \(last polled \d+ s ago\)$/),
    });
    expect(await worker.interrupt()).toBe(0);
    expect(await examined(left.PAYSESSION_TASK_QUEUE)).toMatchObject({
      ok: false,
      found: expect.stringMatching(/^1 polls .*payment-session\/\S+ got no answer in 12 s/),
      commands: ['paysession worker'],
    });
  });

  test('exits 0 on a machine without credentials for the payment service', async () => {
    const client = {
      TEMPORAL_ADDRESS: env['TEMPORAL_ADDRESS'],
      PAYSESSION_TASK_QUEUE: `nobody-${randomUUID()}`,
    };
    const { code, stdout } = await paysession(['doctor'], { env: client });
    expect(stdout).toMatch(/^! Payment service: no account is configured on this machine$/m);
    expect(stdout).toMatch(/^! Workers: no worker polls the task queue nobody-/m);
    expect(code).toBe(0);
  });
});

test('a command’s flags override the settings of the environment variables', async () => {
  const elsewhere = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_NAMESPACE: 'elsewhere' };
  const address = ['--address', env['TEMPORAL_ADDRESS'] ?? '', '--namespace', 'default'];
  const { stdout } = await paysession(['list', '--running', '--limit', '1', ...address], { env: elsewhere });
  expect(stdout).toMatch(/^KEY +KIND/);
  const { code, stderr } = await paysession(['list', '--profile', 'nowhere', ...address], { env: elsewhere });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('TEMPORAL_PROFILE') });
});
