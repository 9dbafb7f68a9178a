import type { Client } from '@temporalio/client';
import { workflowIdOf } from '../src/protocol/names';
import type * as Sessions from '../src/sessions';
import type { History } from './history-json';

/** The history of a session's run, of the latest one by default. Throws `PaysessionError` `SESSION_NOT_FOUND`. */
export function fetchHistory(client: Client, key: string, runId?: string): Promise<History> {
  // Whoever has a client has it loaded.
  const { callEngine } = require('../src/sessions') as typeof Sessions;
  const handle = client.workflow.getHandle(workflowIdOf(key), runId);
  return callEngine(key, () => handle.fetchHistory());
}
