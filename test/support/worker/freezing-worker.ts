import { NativeConnection } from '@temporalio/worker';
import { createWorker } from '../../../worker';

/** Runs a worker. When a workflow first checks a patch, the worker’s process suspends itself, as if the machine froze it. */
async function main([address = '', taskQueue = '', bundlePath = '']: readonly string[]): Promise<void> {
  const connection = await NativeConnection.connect({ address });
  let froze = false;
  const freeze = (): boolean => {
    if (froze) return true;
    froze = true;
    console.log('freezes');
    process.kill(process.pid, 'SIGSTOP');
    return true;
  };
  const temporal = { patchActivationCallback: freeze };
  const worker = await createWorker({ connection, taskQueue, accounts: {}, bundlePath, temporal });
  await worker.run();
}

void main(process.argv.slice(2));
