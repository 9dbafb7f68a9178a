import type { History } from '../history-json';

type HistoryEvent = NonNullable<History['events']>[number];

/** An event of a history, for people. */
export interface EventName {
  /** The event's number in its history. */
  readonly id: number;
  /** As the member that holds its attributes: `activityTaskScheduled`. */
  readonly type: string;
}

/**
 * Every beginning of a history that Temporal's SDK replays, shortest first, the whole of it last: it takes any that holds
 * the first workflow task's schedule. Shorter ones must not be given to it: its replay waits for ever for a task.
 */
export function prefixes(history: History): readonly History[] {
  const events = history.events ?? [];
  const first = events.findIndex((event) => event.workflowTaskScheduledEventAttributes != null);
  if (first === -1) return [];
  return events.slice(first).map((_, index) => ({ ...history, events: events.slice(0, first + index + 1) }));
}

export function describeEvent(event: HistoryEvent | undefined): EventName {
  const [member = 'unknown'] = Object.keys(event ?? {}).filter((name) => name.endsWith('EventAttributes'));
  return { id: Number(event?.eventId ?? 0), type: member.replace(/EventAttributes$/, '') };
}
