import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { runChild, type Child } from '../../support/temporal-server/child';
import { bundled } from '../../support/setup/bundled';
import { globalValue } from '../../support/setup/global-values';
import { connectTemporal } from '../../../src/settings';

/** Longer than the SDK's own limit of five seconds for what a workflow computes. */
const FROZEN_MS = 6_000;

let worker: Child | undefined;

afterAll(async () => {
  await worker?.kill();
});

test('a worker whose process froze in the middle of a workflow task goes on with it', async () => {
  const address = globalValue('PAYSESSION_TEST_TEMPORAL');
  const taskQueue = `test-${randomUUID()}`;
  const { codePath } = await bundled(require.resolve('../../support/worker/freezing-workflow'));
  const child = runChild('../worker/freezing-worker.ts', [address, taskQueue, codePath], process.env);
  worker = child;
  const { connection } = await connectTemporal({ connection: { address }, namespace: 'default' });
  try {
    const running = await new Client({ connection }).workflow.start('freezing', {
      taskQueue,
      workflowId: taskQueue,
      // The server gives the task to no other worker meanwhile.
      workflowTaskTimeout: '1m',
    });
    await child.line((line) => line === 'freezes');
    await sleep(FROZEN_MS);
    process.kill(child.pid, 'SIGCONT');
    const died = child.line(() => false);
    expect(await Promise.race([running.result(), died])).toBe('thawed');
    const { events } = await running.fetchHistory();
    expect(events?.filter((event) => event.workflowTaskFailedEventAttributes != null)).toEqual([]);
  } finally {
    await connection.close();
  }
});
