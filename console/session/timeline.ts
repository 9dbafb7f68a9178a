import type {
  Anomaly,
  CancelRecord,
  Decision,
  StateHistoryEntry,
  Trouble,
} from '../../src/protocol/recorded';
import type { SessionView } from './view';

/** Something that happened to a session, or is about to. */
export type TimelineEntry = { readonly at: string } & (
  | { readonly kind: 'started' }
  | { readonly kind: 'state'; readonly state: StateHistoryEntry }
  | { readonly kind: 'cancel'; readonly cancel: CancelRecord }
  | { readonly kind: 'trouble'; readonly trouble: Trouble }
  | { readonly kind: 'nextCall' }
  | { readonly kind: 'anomaly'; readonly anomaly: Anomaly }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'over' }
);

/**
 * All that is known to have happened to a session, newest first: what an operator looks for is what has just happened, and what
 * comes next stands above it.
 */
export function timelineOf({ summary, known, nextPollAt }: SessionView): readonly TimelineEntry[] {
  const { state, stateHistory = [] } = known ?? {};
  const { cancel, trouble, anomalies = [], decisions = [] } = state ?? {};
  const nextCallAt = trouble?.until ?? nextPollAt;
  const inOrder: TimelineEntry[] = [
    ...(summary === undefined ? [] : [{ at: summary.startedAt.toISOString(), kind: 'started' } as const]),
    ...decisions.map((decision) => ({ at: decision.at, kind: 'decision', decision }) as const),
    ...(cancel === undefined ? [] : [{ at: cancel.requestedAt, kind: 'cancel', cancel } as const]),
    ...stateHistory.map((entry) => ({ at: entry.firstSeenAt, kind: 'state', state: entry }) as const),
    ...anomalies.map((anomaly) => ({ at: anomaly.at, kind: 'anomaly', anomaly }) as const),
    ...(trouble === undefined ? [] : [{ at: trouble.since, kind: 'trouble', trouble } as const]),
    ...(summary?.endedAt === undefined ? [] : [{ at: summary.endedAt.toISOString(), kind: 'over' } as const]),
    ...(nextCallAt === undefined || summary?.endedAt ? [] : [{ at: nextCallAt, kind: 'nextCall' } as const]),
  ];
  // Sorting is stable: of two things at the same moment, that which led to the other stays below it.
  return inOrder.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).reverse();
}
