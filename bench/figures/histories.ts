import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { countActions } from './actions';

/** The size and the billable actions of a session's history. */
export interface HistoryFigures {
  readonly events: number;
  /** The size of the encoded history. */
  readonly bytes: number;
  /** Billable actions in the history. */
  readonly actions: number;
}

/** Measures the histories of a workflow's runs, and returns the sums. */
export async function historyFigures(client: Client, workflowId: string): Promise<HistoryFigures> {
  const figures = { events: 0, bytes: 0, actions: 0 };
  let runId: string | undefined = await firstRunOf(client, workflowId);
  while (runId !== undefined) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const events = history.events ?? [];
    figures.events += events.length;
    figures.bytes += temporal.api.history.v1.History.encode(history).finish().length;
    figures.actions += countActions(events);
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return figures;
}

async function firstRunOf(client: Client, workflowId: string): Promise<string | undefined> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
}
