import { NativeConnection, Worker } from '@temporalio/worker';
import { bundled } from '../setup/bundled';

/** A worker of workflows as a user of the package would write them. */
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
