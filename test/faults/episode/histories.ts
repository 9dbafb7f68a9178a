import type { Client } from '@temporalio/client';
import type { History } from '../../../testkit/history-json';

/** The history of each run of a session, oldest first. */
export async function historiesOf(client: Client, workflowId: string): Promise<readonly History[]> {
  const histories: History[] = [];
  for (let runId: string | undefined = ''; runId !== undefined;) {
    const history: History = await client.workflow
      .getHandle(workflowId, runId === '' ? undefined : runId)
      .fetchHistory();
    histories.unshift(history);
    const begun = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    runId =
      begun?.continuedExecutionRunId == null || begun.continuedExecutionRunId === ''
        ? undefined
        : begun.continuedExecutionRunId;
  }
  return histories;
}
