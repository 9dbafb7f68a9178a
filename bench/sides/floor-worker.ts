import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { withoutWatchdog, WORKFLOW_TIME } from '../../worker/sdk-internals';
import { createSession, sessionDetails } from '../baseline/activities';
import type { FloorActivities } from './floor-workflow';
import { serveAsWorker } from './worker-process';

/**
 * The worker of the floor (see floor-workflow.ts). It has the three savings of paysession's worker: no watchdog,
 * modules that all workflows share, and stacks only on request.
 */
serveAsWorker(async (address) => {
  const connection = await NativeConnection.connect({ address });
  const { activity } = new Client({ connection });
  const activities: FloorActivities = {
    create: async (request) => {
      await activity.heartbeat(Context.current().info.taskToken);
      return createSession(request);
    },
    follow: async (sessionId, pollAfterMs) => {
      await sleep(pollAfterMs);
      return sessionDetails(sessionId);
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
