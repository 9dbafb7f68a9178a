import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { activitiesOf, MemoryWarehouse } from './warehouse';
import { order } from './workflow';

/** Runs one order to its end. This process is also the worker that runs the order's workflow and steps. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      id: { type: 'string', default: `order-${randomUUID()}` },
      item: { type: 'string', default: 'lamp' },
      // The sandbox plays the payor. This reference selects what the payor does.
      reference: { type: 'string', default: 'sandbox-completes' },
    },
  });
  const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
  const paymentTaskQueue = process.env['PAYSESSION_TASK_QUEUE'];
  // The warehouse is in this process's memory, so no other process may run its steps.
  const taskQueue = `orders-${values.id}`;
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const [native, connection] = await Promise.all([
    NativeConnection.connect({ address }),
    Connection.connect({ address }),
  ]);
  try {
    const worker = await Worker.create({
      connection: native,
      taskQueue,
      workflowsPath: require.resolve('./workflow'),
      activities: activitiesOf(new MemoryWarehouse()),
    });
    const outcome = await worker.runUntil(
      new Client({ connection }).workflow.execute(order, {
        taskQueue,
        workflowId: values.id,
        args: [
          { id: values.id, items: [values.item], payment: payment(values.reference) },
          paymentTaskQueue === undefined ? {} : { paymentTaskQueue },
        ],
      }),
    );
    console.log(JSON.stringify(outcome));
  } finally {
    await connection.close();
    await native.close();
  }
}

function payment(referenceId: string) {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount: 25,
    referenceId,
    options: { guarantee: { enable: false } },
    payor: { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' },
  } as const;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
