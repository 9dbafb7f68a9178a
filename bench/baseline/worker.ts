import { NativeConnection, Worker } from '@temporalio/worker';
import { serveAsWorker } from '../sides/worker-process';
import * as activities from './activities';

serveAsWorker(async (address) => {
  const connection = await NativeConnection.connect({ address });
  return Worker.create({
    connection,
    taskQueue: 'bank-payments',
    workflowsPath: require.resolve('./workflow'),
    activities,
  });
});
