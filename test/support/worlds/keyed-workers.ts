import { NativeConnection } from '@temporalio/worker';
import type { EncryptionKeys, EncryptionOptions } from '../../../src';
import { createWorker } from '../../../worker';
import { globalValue, testBundle } from '../setup/global-values';
import type { World } from './world';

/** Replaces a worker: stops it, and starts a worker with other keys. */
type Deploy = (next: EncryptionKeys, options?: KeyedWorkerOptions) => Promise<void>;

interface KeyedWorkerOptions extends EncryptionOptions {
  /** The worker's identity at the Temporal server. @default that of the process */
  readonly name?: string;
  /** True if the worker runs activities. @default true */
  readonly takesActivities?: boolean;
}

/** Further workers of a world, each with its own encryption keys. */
export interface KeyedWorkers {
  /** Starts a worker. Returns the function that replaces this worker. */
  start(keys: EncryptionKeys, options?: KeyedWorkerOptions): Promise<Deploy>;
  stopAll(): Promise<void>;
}

/**
 * Returns functions that start and stop workers with their own encryption keys.
 *
 * @param taskQueue by default the world’s task queue. The Temporal server lists the world’s own worker there too, also for a while
 * after that worker has stopped
 */
export function keyedWorkers(world: World, taskQueue?: string): KeyedWorkers {
  const running = new Set<() => Promise<void>>();
  const run = async (encryption: EncryptionKeys, options: KeyedWorkerOptions = {}) => {
    const { name, takesActivities = true, ...encryptionOptions } = options;
    const connection = await NativeConnection.connect({ address: globalValue('PAYSESSION_TEST_TEMPORAL') });
    const worker = await createWorker({
      connection,
      taskQueue: taskQueue ?? world.taskQueue,
      accounts: { default: world.account },
      bundlePath: testBundle(),
      encryption,
      encryptionOptions,
      temporal: {
        stickyQueueScheduleToStartTimeout: '500ms',
        enableNonLocalActivities: takesActivities,
        ...(name !== undefined && { identity: name }),
      },
    });
    const done = worker.run();
    const stop = async () => {
      running.delete(stop);
      worker.shutdown();
      await done;
      await connection.close();
    };
    running.add(stop);
    return stop;
  };
  return {
    start: async (keys, options) => {
      let stop = await run(keys, options);
      return async (next, nextOptions) => {
        await stop();
        stop = await run(next, nextOptions);
      };
    },
    stopAll: async () => {
      await Promise.all([...running].map((stop) => stop()));
    },
  };
}
