import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Client } from '@temporalio/client';
import { beforeAll, expect, test } from '@jest/globals';
import { examineWorkers } from '../../../cli/commands/doctor/workers';
import { findOnMachine } from '../../../src/temporal-server';
import { connectTemporal, readTemporalSettings } from '../../../src/settings';
import { completing, eft } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { paysession } from '../../support/cli/run-paysession';

// With Temporal’s worker versioning, a worker gets new sessions only if its version is the current one of its deployment.
// In these tests, the only worker’s version is not current. Each test continues the previous one.

const world = useWorld({ startsWorker: false });
const name = `payments-${randomUUID()}`;
const CURRENT = 'temporal worker deployment set-current-version';

const env = () => ({
  TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  PAYSESSION_TASK_QUEUE: world.taskQueue,
});
const start = (key: string, ...args: string[]) =>
  paysession(['start', '--key', key, '--request', '-', ...args], {
    env: env(),
    stdin: JSON.stringify(eft()),
  });

async function examined() {
  const { connection, namespace } = await connectTemporal(readTemporalSettings(env()));
  try {
    return await examineWorkers(new Client({ connection, namespace }), world.taskQueue);
  } finally {
    await connection.close();
  }
}

async function runAsPrinted(text: string): Promise<void> {
  const [, command = ''] = /`(temporal [^`]+)`/.exec(text) ?? [];
  const temporal = await findOnMachine(process.env);
  const [, ...args] = [...command.split(' '), '--address', process.env['PAYSESSION_TEST_TEMPORAL'] ?? ''];
  await promisify(execFile)(temporal?.executable ?? '', args);
}

beforeAll(async () => {
  await world.startWorker({ deployment: { name, buildId: 'v1' } });
  await until(examined, ({ fix = '' }) => fix.includes(CURRENT));
});

test('doctor reports a worker version that is not current, and prints the command that makes it current', async () => {
  expect(await examined()).toEqual({
    subject: 'Workers',
    ok: true,
    found: expect.stringContaining(`: version ${name} v1 is not current`),
    fix: `Make it current: \`${CURRENT} --namespace default --deployment-name ${name} --build-id v1 --yes\`.`,
  });
});

test('start warns that the worker version is not current, and start --open fails', async () => {
  const { code, stderr } = await start(`idle-${randomUUID()}`);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: .*version .* v1 is not current/);
  expect(stderr).not.toContain('paysession worker');
  const opening = await start(`idle-${randomUUID()}`, '--open', '--json');
  expect(opening.code).toBe(5);
  expect(opening.stderr).toContain('v1 is not current');
  expect(opening.stderr).toContain(CURRENT);
});

test('doctor reports a fault once sessions wait because no worker version is current', async () => {
  const waiting = /is not current; open sessions waiting for one: \d+$/;
  const { found } = await until(examined, ({ ok }) => !ok);
  expect(found).toMatch(waiting);
});

test('the command that doctor prints makes the worker version current, and sessions go on', async () => {
  await runAsPrinted((await examined()).fix ?? '');
  const { session } = await world.sessions.open(world.input(completing()));
  expect(await session.result()).toMatchObject({ status: 'Completed' });
  expect(await until(examined, ({ fix }) => fix === undefined)).toMatchObject({ ok: true });
});
