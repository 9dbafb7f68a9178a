import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { WORKFLOW_ID_PREFIX } from '../../../workflows/protocol';
import type { PaymentSessions } from '../../sessions';
import type { RecordedHistory } from './recorded-history';

/** Keys of every payment session that is open now. */
export async function openKeys(sessions: PaymentSessions): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of sessions.list({ running: true })) keys.push(key);
  return keys;
}

/** The histories of sessions, fetched as they are asked for; sessions that are gone meanwhile are left out. */
export async function* historiesOf(client: Client, keys: Iterable<string>): AsyncIterable<RecordedHistory> {
  for (const key of keys) {
    try {
      const history = await client.workflow.getHandle(`${WORKFLOW_ID_PREFIX}${key}`).fetchHistory();
      yield { name: key, history };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}
