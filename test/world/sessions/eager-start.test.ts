import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { PaymentSessions } from '../../../src';
import { createWorker } from '../../../worker';
import { leftOpen } from '../../support/requests';
import { globalValue, testBundle } from '../../support/setup/global-values';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

async function isEager(workflowId: string): Promise<boolean> {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  return events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted === true;
}

test('a worker that shares the client’s connection gets a session’s first task with the answer to its start', async () => {
  const connection = await NativeConnection.connect({ address: globalValue('PAYSESSION_TEST_ENGINE') });
  const taskQueue = `shared-${randomUUID()}`;
  const accounts = { default: world.account };
  const worker = await createWorker({ connection, taskQueue, accounts, bundlePath: testBundle() });
  const running = worker.run();
  try {
    const sessions = new PaymentSessions(new Client({ connection }), { taskQueue });
    const session = await sessions.start(world.input(leftOpen()));
    await session.opened();
    expect(await isEager(session.workflowId)).toBe(true);
    await session.cancelAndWait();
  } finally {
    worker.shutdown();
    await running;
    await connection.close();
  }
});

test('another worker gets it when it asks', async () => {
  const session = await world.sessions.start(world.input(leftOpen()));
  await session.opened();
  expect(await isEager(session.workflowId)).toBe(false);
  await session.cancelAndWait();
});
