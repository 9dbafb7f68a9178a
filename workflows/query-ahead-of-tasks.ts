import { workflowInfo, type ActivateInput, type WorkflowInterceptors } from '@temporalio/workflow';

/** The facts about its history that a run knows when it is activated. */
export interface Activated {
  /** True if the run replays its history. */
  readonly isReplaying: boolean;
  /** The number of the latest event that the run was given. */
  readonly historyLength: number;
  /** The size of the history at its latest workflow task, in bytes. */
  readonly historySize: number;
  /** The time of the run's latest workflow task, in milliseconds since 1970. */
  readonly atMs: number;
}

/**
 * True if a run was given events that no workflow task has taken yet. A task brings a larger history size, and usually a
 * later time. Clocks of a cluster's nodes differ, so the time alone proves nothing.
 */
export const isAhead = (before: Activated, now: Activated): boolean =>
  !now.isReplaying &&
  now.historyLength !== before.historyLength &&
  now.historySize === before.historySize &&
  now.atMs === before.atMs;

/**
 * Fails a query that ran a session ahead of its workflow tasks. The worker then forgets the run, and replays it for
 * the next query.
 *
 * The Temporal server sends a query, with all events of the session, to a worker that does not have the session in
 * its cache. Some events may await the next task: a timer has fired, a signal has come. Temporal's SDK runs the
 * session forward on them, at the time of its last task, and would keep the result for the next task. A replay gets
 * these events at the time of the next task, together with all later ones, and may take another path. The session would
 * then hang as soon as another worker takes it over. This check cannot detect the events of a task that another worker
 * takes, and then loses.
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
            // An activation may come in parts, which have the same history length: only the first part decides.
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
