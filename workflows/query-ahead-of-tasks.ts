import { workflowInfo, type ActivateInput, type WorkflowInterceptors } from '@temporalio/workflow';

/** What a run knows of the history when it is activated. */
export interface Activated {
  /** Whether it does what it has done before. */
  readonly isReplaying: boolean;
  /** The latest event that it was given. */
  readonly historyLength: number;
  /** Of its latest workflow task; in bytes. */
  readonly historySize: number;
  /** The time of its latest workflow task, in milliseconds since 1970. */
  readonly atMs: number;
}

/**
 * Whether a run was given events that no workflow task has taken yet: a task brings a later time and a longer history. Clocks of
 * a cluster's nodes differ, so that the time alone does not tell.
 */
export const isAhead = (before: Activated, now: Activated): boolean =>
  !now.isReplaying &&
  now.historyLength !== before.historyLength &&
  now.historySize === before.historySize &&
  now.atMs === before.atMs;

/**
 * Fails a query that ran a session ahead of its workflow tasks; the worker then forgets the run, and replays it when it is
 * asked again.
 *
 * The engine hands out a query with all events of the session to a worker that does not hold it, and some may await the next
 * task: a timer has fired, a signal has come. Temporal's SDK runs the session forward on them, at the time of its last task,
 * and would keep what it does for the next one. A replay goes another way: it gets these events at the time of the next task,
 * together with all that arrived by then. The session would hang as soon as another worker takes it over. Events of a task that
 * another worker has in hand, and loses, are not told apart.
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
            // An activation may come in parts.
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
