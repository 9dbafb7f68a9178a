import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { type OnProgress, resolveTestServer, startTestServer } from '../../engine';
import { borrowServer } from '../presets/lent-server';
import { durationOf } from './virtual-time';

/** The test server of a world: its own, or one that the test runner lends it. */
export interface WorldServer {
  /** HOST:PORT. */
  readonly address: string;
  readonly namespace: string;
  /** Whether another world has used it: it has the search attributes, and its time stands still. */
  readonly isUsed: boolean;
  /** Tidies up through the world's connection, when its workers have stopped. */
  tidy(connection: Connection): Promise<void>;
  /** Gives it back, or ends it. */
  stop(): Promise<void>;
}

/** Throws `PaysessionError` `ENGINE_NOT_FOUND` and `ENGINE_UNAVAILABLE`. */
export async function worldServer(onProgress: OnProgress): Promise<WorldServer> {
  const lent = await borrowServer();
  if (lent !== undefined) {
    let isClean = false;
    return {
      ...lent,
      tidy: async (connection) => {
        isClean = await leaveAsFound(connection, lent.namespace);
      },
      stop: () => lent.giveBack(isClean),
    };
  }
  const { executable } = await resolveTestServer({ onProgress });
  const server = await startTestServer({ executable });
  return {
    address: server.address,
    namespace: 'default',
    isUsed: false,
    tidy: () => Promise.resolve(),
    stop: () => server.stop(),
  };
}

/** A server that has lost a task skips no more, and lets this much time pass as it comes. */
const TIME_TO_SKIP_MS = 10_000;
const SKIPS_WITHIN_MS = 500;

/** Ends the open workflows, and looks whether time can skip: if not, the next world would stand still. */
async function leaveAsFound(
  { workflowService, testService }: Connection,
  namespace: string,
): Promise<boolean> {
  try {
    const { executions } = await workflowService.listOpenWorkflowExecutions({
      namespace,
      startTimeFilter: {},
    });
    const ends = executions.map(({ execution: workflowExecution }) =>
      workflowService.terminateWorkflowExecution({ namespace, workflowExecution: workflowExecution ?? {} }),
    );
    await Promise.all(ends);
    const skips = testService?.unlockTimeSkippingWithSleep({ duration: durationOf(TIME_TO_SKIP_MS) });
    return await Promise.race([skips?.then(() => true) ?? false, sleep(SKIPS_WITHIN_MS, false)]);
  } catch {
    // The server is not lent to another world then.
    return false;
  }
}
