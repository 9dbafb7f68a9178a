import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The Temporal server's own attribute for versions of workflow code. Writing it costs no action. */
const VERSION_ATTRIBUTE = 'TemporalChangeVersion';

/**
 * Counts the billable actions in a history, by the rules of the page "Temporal Cloud Actions"
 * (https://docs.temporal.io/cloud/actions). Each of these is an action: a start (also by continue-as-new), a timer, an
 * attempt of an activity, all local activities of one workflow task together, a signal, an update, and an upsert of
 * search attributes. A child workflow counts as two actions. A history does not show heartbeats, queries and refused
 * updates, which are also billed. The bench adds the heartbeats that the worker's SDK has sent to the Temporal server.
 * The bench sends no queries, and none of its updates is refused.
 */
export function countActions(events: readonly HistoryEvent[]): number {
  const tasksWithMarkers = new Set<string>();
  let actions = 0;
  for (const event of events) {
    const marker = event.markerRecordedEventAttributes;
    if (marker) tasksWithMarkers.add(String(marker.workflowTaskCompletedEventId));
    else actions += actionsOf(event);
  }
  return actions + tasksWithMarkers.size;
}

function actionsOf(event: HistoryEvent): number {
  // A failed attempt that was retried has no event of its own, but counts in the number of the last attempt.
  const started = event.activityTaskStartedEventAttributes;
  if (started) return started.attempt ?? 1;
  const upsert = event.upsertWorkflowSearchAttributesEventAttributes;
  if (upsert) {
    const names = Object.keys(upsert.searchAttributes?.indexedFields ?? {});
    return names.every((name) => name === VERSION_ATTRIBUTE) ? 0 : 1;
  }
  if (event.startChildWorkflowExecutionInitiatedEventAttributes) return 2;
  const isBilled =
    event.workflowExecutionStartedEventAttributes ??
    event.timerStartedEventAttributes ??
    event.workflowExecutionSignaledEventAttributes ??
    event.workflowExecutionUpdateAcceptedEventAttributes;
  return isBilled ? 1 : 0;
}
