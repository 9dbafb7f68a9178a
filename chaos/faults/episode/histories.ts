import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import type { History } from '../../../testkit/histories/history-json';

/** Returns the history of each run of a session, oldest first. */
export async function historiesOf(client: Client, workflowId: string): Promise<readonly History[]> {
  const histories: History[] = [];
  for (let runId: string | undefined = ''; runId !== undefined;) {
    const history: History = await client.workflow
      .getHandle(workflowId, runId === '' ? undefined : runId)
      .fetchHistory();
    histories.unshift(await withReasons(history, client));
    const begun = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    runId =
      begun?.continuedExecutionRunId == null || begun.continuedExecutionRunId === ''
        ? undefined
        : begun.continuedExecutionRunId;
  }
  return histories;
}

/** Returns the history. In failed workflow tasks, decrypts the reason of the failure. */
async function withReasons(history: History, { options }: Client): Promise<History> {
  for (const { workflowTaskFailedEventAttributes: failed } of history.events ?? []) {
    if (failed?.failure == null) continue;
    const error = await decodeOptionalFailureToOptionalError(options.loadedDataConverter, failed.failure);
    failed.failure.message = error === undefined ? '' : `${error.name}: ${error.message}`;
  }
  return history;
}
