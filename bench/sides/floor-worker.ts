import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { withoutWatchdog, WORKFLOW_TIME } from '../../worker/sdk-internals';
import type { FloorActivities } from './floor-workflow';
import { serveAsWorker } from './worker-process';

/** Has the savings of paysession's worker: no watchdog, shared modules, stacks on request. */
serveAsWorker(async (address) => {
  const connection = await NativeConnection.connect({ address });
  const { activity } = new Client({ connection });
  const activities: FloorActivities = {
    create: () => activity.heartbeat(Context.current().info.taskToken),
    follow: async (pollAfterMs) => {
      await sleep(pollAfterMs);
    },
  };
  const workflowsPath = require.resolve('./floor-workflow');
  return withoutWatchdog(Worker).create({
    connection,
    taskQueue: 'floor',
    workflowsPath,
    bundlerOptions: { preloadModules: [require.resolve('../../worker/sdk-internals'), workflowsPath] },
    ...WORKFLOW_TIME,
    activities: { ...activities },
  });
});
