import { NativeConnection } from '@temporalio/worker';
import type { EncryptionKeys } from '../../../src';
import { createWorker } from '../../../worker';
import { globalValue, testBundle } from '../setup/global-values';
import type { World } from './world';

/** Workers of a world with keys of their own. */
export interface KeyedWorkers {
  /** Starts a worker; what it gives stops it and starts one with other keys in its place. */
  start(keys: EncryptionKeys): Promise<(next: EncryptionKeys) => Promise<void>>;
  stopAll(): Promise<void>;
}

export function keyedWorkers(world: World): KeyedWorkers {
  const running = new Set<() => Promise<void>>();
  const run = async (encryption: EncryptionKeys) => {
    const connection = await NativeConnection.connect({ address: globalValue('PAYSESSION_TEST_ENGINE') });
    const worker = await createWorker({
      connection,
      taskQueue: world.taskQueue,
      accounts: { default: world.account },
      bundlePath: testBundle(),
      encryption,
      temporal: { stickyQueueScheduleToStartTimeout: '500ms' },
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
    start: async (keys) => {
      let stop = await run(keys);
      return async (next) => {
        await stop();
        stop = await run(next);
      };
    },
    stopAll: async () => {
      await Promise.all([...running].map((stop) => stop()));
    },
  };
}
