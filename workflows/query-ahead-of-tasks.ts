import { workflowInfo, type ActivateInput, type WorkflowInterceptors } from '@temporalio/workflow';

/** The facts about a run's history at an activation. An activation is one call of the SDK into the workflow's code. */
export interface Activated {
  /** True if the run replays its history. */
  readonly isReplaying: boolean;
  /** The number of the latest event that the run has received. */
  readonly historyLength: number;
  /** The size of the history at its latest workflow task, in bytes. */
  readonly historySize: number;
  /** The time of the run's latest workflow task, in milliseconds since 1970. */
  readonly atMs: number;
}

/**
 * True if a run received events that do not belong to a workflow task yet. With each task, the history size grows, and
 * the time usually advances. The time alone proves nothing, because the clocks of a cluster's nodes differ.
 */
export const isAhead = (before: Activated, now: Activated): boolean =>
  !now.isReplaying &&
  now.historyLength !== before.historyLength &&
  now.historySize === before.historySize &&
  now.atMs === before.atMs;

/**
 * Fails a query that has run a session ahead of its workflow tasks. The worker then drops the run from its cache, and
 * replays the run for the next query.
 *
 * The problem arises if a query goes to a worker that does not have the session in its cache. The Temporal server
 * sends the query with all events of the session. Some of these events, such as a fired timer or a signal, may belong
 * to the next workflow task, which has not started yet. Temporal's SDK runs the workflow's code on these events too,
 * with the time of the last task, and keeps the resulting state for the next task.
 *
 * Any other worker replays these events later: with the time of the next task, and together with all events that have
 * come since. There, the workflow's code may take another path, and the session hangs.
 *
 * This check cannot detect the events of a task that another worker has taken and then lost.
 */
export function interceptors(): WorkflowInterceptors {
  let latest: Activated | undefined;
  let runsAhead = false;
  return {
    internals: [
      {
        activate: (input, next) => {
          if (!isQuery(input)) {
            const now = activatedNow();
            // An activation may come in several parts with the same history length. Only the first part decides.
            if (now.historyLength !== latest?.historyLength)
              runsAhead = latest !== undefined && isAhead(latest, now);
            latest = now;
          } else if (runsAhead) {
            throw new Error('The query came with events that await a workflow task. Ask again.');
          }
          next(input);
        },
      },
    ],
  };
}

const isQuery = ({ activation }: ActivateInput): boolean =>
  activation.jobs?.some(({ queryWorkflow }) => queryWorkflow != null) ?? false;

function activatedNow(): Activated {
  const { historyLength, historySize, unsafe } = workflowInfo();
  return { isReplaying: unsafe.isReplaying, historyLength, historySize, atMs: Date.now() };
}
