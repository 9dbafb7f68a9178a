import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { PaymentSessionInput } from '../../../src';
import type * as workflows from '../business-workflows';
import { bundled } from '../setup/bundled';
import { use } from './use';
import type { World } from './world';

/** A running worker for `business-workflows.ts`: workflows as a user of the package writes them. */
export interface BusinessWorker {
  stop(): Promise<void>;
}

export async function startBusinessWorker(address: string, taskQueue: string): Promise<BusinessWorker> {
  const connection = await NativeConnection.connect({ address });
  const workflowBundle = await bundled(require.resolve('../business-workflows'));
  const worker = await Worker.create({ connection, taskQueue, workflowBundle });
  const running = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** The names of the workflows whose argument is a session's input. */
type Taking = 'takesPayment' | 'startsPayment' | 'watchesPayment' | 'recordsChanges' | 'refusesChanges';

/**
 * Starts a business worker for all tests of a file or a `describe`, next to a world’s payment worker. Returns its task queue, and a
 * function that starts its workflows.
 */
export function useBusinessWorker(world: World) {
  const taskQueue = `orders-${randomUUID()}`;
  use(
    () => startBusinessWorker(world.temporalAddress, taskQueue),
    (worker) => worker.stop(),
  );
  const start = (workflow: Taking, input: PaymentSessionInput) => {
    const args: Parameters<typeof workflows.takesPayment> = [input, { taskQueue: world.taskQueue }];
    return world.client.workflow.start<(typeof workflows)[Taking]>(workflow, {
      taskQueue,
      workflowId: randomUUID(),
      args,
    });
  };
  return { taskQueue, start };
}
