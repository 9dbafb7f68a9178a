import { afterAll, expect, test } from '@jest/globals';
import { NativeConnection } from '@temporalio/worker';
import { encryptionOf } from '../../../src/encryption/worker-encryption';
import { pollersOf } from '../../../src/sessions';
import { createWorker } from '../../../worker';
import { globalValue, testBundle } from '../../support/setup/global-values';
import { newKey } from '../../support/undecryptable';
import { until } from '../../support/wait';
import { keyedWorkers } from '../../support/worlds/keyed-workers';
import { useWorld } from '../../support/worlds/use-world';

const TASK_QUEUE = 'own-identity';
const world = useWorld();
const workers = keyedWorkers(world, TASK_QUEUE);

afterAll(() => workers.stopAll());

test('a worker with a custom identity still announces that it encrypts', async () => {
  await workers.start({ current: newKey('2031') }, { name: 'shop-1', required: true });
  const pollers = await until(
    () => pollersOf(world.client, TASK_QUEUE),
    (found) => found.length > 0,
  );
  const identity = pollers[0]?.identity ?? '';
  expect(identity).toMatch(/^shop-1 /);
  expect(encryptionOf(identity)).toEqual({ required: true, keyIds: ['2031'] });
});

test('a worker polls the task queue of its own option, and ignores `taskQueue` in the options for Temporal', async () => {
  const connection = await NativeConnection.connect({ address: globalValue('PAYSESSION_TEST_TEMPORAL') });
  const worker = await createWorker({
    connection,
    taskQueue: TASK_QUEUE,
    accounts: { default: world.account },
    bundlePath: testBundle(),
    checksAccounts: false,
    // @ts-expect-error `taskQueue` is an option of the worker itself
    temporal: { identity: 'shop-2', taskQueue: 'elsewhere' },
  });
  const done = worker.run();
  const polls = () => pollersOf(world.client, TASK_QUEUE);
  try {
    const pollers = await until(polls, (found) => found.some(({ identity }) => identity === 'shop-2'));
    expect(pollers.map(({ identity }) => identity)).toContain('shop-2');
  } finally {
    worker.shutdown();
    await done;
    await connection.close();
  }
});
