import { Client, type Connection } from '@temporalio/client';
import { ERROR_CODES } from '../../../src/errors';
import { pollersOf, openSessionsOn } from '../../../src/sessions';
import type { Finding } from './finding';

interface Place {
  readonly connection: Connection;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** Workers that are named; the others are counted. */
const MAX_NAMED = 3;

/** Tells which workers poll the task queue. None is a fault only where sessions wait for one. */
export async function examineWorkers({ connection, namespace, taskQueue }: Place): Promise<Finding> {
  const subject = 'Workers';
  const queue = `the task queue ${taskQueue}`;
  const pollers = await pollersOf(new Client({ connection, namespace }), taskQueue);
  const names = pollers.filter(({ recent }) => recent).map(({ identity }) => identity);
  if (names.length > 0) {
    const named = names.slice(0, MAX_NAMED).join(', ');
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    return {
      subject,
      ok: true,
      found: `${names.length} ${names.length === 1 ? 'polls' : 'poll'} ${queue}: ${named}${more}`,
    };
  }
  const { count } = await connection.workflowService.countWorkflowExecutions({
    namespace,
    query: openSessionsOn(taskQueue),
  });
  const waiting = Number(count);
  const found = `no worker polls ${queue} of the namespace ${namespace}`;
  const fix = ERROR_CODES.WORKER_UNAVAILABLE.remedy;
  if (waiting === 0) return { subject, ok: true, found, fix };
  return { subject, ok: false, found: `${found}; open sessions waiting for one: ${waiting}`, fix };
}
