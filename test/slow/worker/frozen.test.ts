import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { runChild, type Child } from '../../support/temporal-server/child';
import { bundled } from '../../support/setup/bundled';
import { globalValue } from '../../support/setup/global-values';
import { connectTemporal } from '../../../src/settings';

/** Longer than five seconds: the SDK’s default limit for running a workflow’s code. */
const FROZEN_MS = 6_000;

let worker: Child | undefined;

afterAll(async () => {
  await worker?.kill();
});

test('a worker whose process was frozen during a workflow task completes the task after it thaws', async () => {
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
      // Within this time, the server gives the task to no other worker.
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
