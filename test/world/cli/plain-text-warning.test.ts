import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PaymentSessions } from '../../../src';
import { eft } from '../../support/requests';
import { createWorld, type World } from '../../support/worlds/world';
import { paysession } from '../../support/cli/run-paysession';

const secret = randomBytes(32);
let world: World;

beforeAll(async () => {
  world = await createWorld({ encryption: { current: { id: 'test', secret } } });
});

afterAll(async () => {
  await world.close();
});

const settings = (taskQueue = world.taskQueue) => ({
  TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  PAYSESSION_TASK_QUEUE: taskQueue,
});
const keys = { PAYSESSION_ENCRYPTION_KEYS: `test:${secret.toString('base64')}` };
const stdin = JSON.stringify(eft());
const start = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  paysession(['start', '--key', `plain-${randomUUID()}`, '--request', '-', ...args], { env, stdin });

// The world’s worker encrypts. A command without its keys stores the request in Temporal in plain text.

describe('a command that starts sessions without the workers’ keys', () => {
  test('prints a warning on standard error and its usual output (start)', async () => {
    const { code, stdout, stderr } = await start(settings(), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toEqual({
      warning: { message: expect.stringContaining('PAYSESSION_ENCRYPTION_KEYS') },
    });
    expect(JSON.parse(stdout)).toHaveProperty('workflowId');
  });

  test('prints a warning on standard error and its usual output (start-many)', async () => {
    const line = JSON.stringify(world.input(eft()));
    const many = await paysession(['start-many', '-'], { env: settings(), stdin: line });
    expect(many).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: .*\n$/) });
  });

  test('prints no warning if it has the keys, or if no worker encrypts', async () => {
    expect(await start({ ...settings(), ...keys })).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await start(settings(`nobody-${randomUUID()}`));
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('plain text') });
  });
});

test('workersEncrypt resolves with true if the task queue’s workers encrypt, else with false', async () => {
  expect(await world.sessions.workersEncrypt()).toBe(true);
  const elsewhere = new PaymentSessions(world.client, { taskQueue: `nobody-${randomUUID()}` });
  expect(await elsewhere.workersEncrypt()).toBe(false);
});
