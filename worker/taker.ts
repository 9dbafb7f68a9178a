import type { Client } from '@temporalio/client';
import type { TakerReader } from '../activities';

/** Reads in histories which worker took an activity. Rejects where the history cannot be read. */
export function takerReader(client: Client): TakerReader {
  return async ({ workflowId, runId }, activityId) => {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const scheduled = events?.find(
      ({ activityTaskScheduledEventAttributes: attributes }) => attributes?.activityId === activityId,
    );
    if (scheduled?.eventId == null) return undefined;
    const { eventId } = scheduled;
    const started = events?.findLast(({ activityTaskStartedEventAttributes: attributes }) =>
      attributes?.scheduledEventId?.equals(eventId),
    );
    return started?.activityTaskStartedEventAttributes?.identity ?? undefined;
  };
}
