import { NativeConnection } from '@temporalio/worker';
import { createWorker, type PaymentWorkerOptions } from '../../../worker';
import { testBundle } from '../setup/global-values';
import type { World } from './world';

/** Further workers on a world's task queue, next to the world's own worker. */
export interface OtherWorkers {
  start(accounts: PaymentWorkerOptions['accounts']): Promise<void>;
  /** Stops all of these workers. */
  stop(): Promise<void>;
}

export function otherWorkers({
  temporalAddress,
  taskQueue,
}: Pick<World, 'temporalAddress' | 'taskQueue'>): OtherWorkers {
  const running: (() => Promise<void>)[] = [];
  return {
    start: async (accounts) => {
      const connection = await NativeConnection.connect({ address: temporalAddress });
      const worker = await createWorker({
        connection,
        taskQueue,
        accounts,
        bundlePath: testBundle(),
        temporal: { stickyQueueScheduleToStartTimeout: '500ms' },
      }).catch(async (error: unknown) => {
        await connection.close();
        throw error;
      });
      const done = worker.run();
      running.push(async () => {
        worker.shutdown();
        await done;
        await connection.close();
      });
    },
    stop: async () => {
      await Promise.all(running.splice(0).map((stop) => stop()));
    },
  };
}
