/** Keeps state that belongs to a single workflow run, for instance whether the run was reset. */
import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import { workflowInfo, type ActivateInput, type WorkflowInterceptors } from '@temporalio/workflow';

/**
 * Returns a function that returns the state of the calling run. `make` creates the state at the run's first call. All runs
 * of a worker share the modules, so a module must keep state only in this way.
 */
export function perRun<T extends object>(make: () => T): () => T {
  const states = new WeakMap<object, T>();
  return () => {
    const run = getActivator();
    const state = states.get(run) ?? make();
    states.set(run, state);
    return state;
  };
}

/**
 * Returns the run's random seed as text. The seed is different for every run, and a reset changes it by an event in the
 * history. A repeated workflow task has the same seed. Run ids also change on a reset, but not if a history is replayed
 * from a file. The seed is not part of the SDK's public API.
 */
export const runSeed = (): string =>
  getActivator()
    .randomnessSeed.map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/** The run's seed at the last call of `resetSettled`. Absent if the interceptors are not loaded. */
const lastSettled = perRun<{ seed?: string }>(() => ({}));

/**
 * True if the run was reset and the reset is not settled yet. After a reset, the run continues from an earlier event of its
 * history. It does not know what it did after that event, and may do it again.
 */
export function wasReset(): boolean {
  const { seed } = lastSettled();
  return seed !== undefined && seed !== runSeed();
}

/** Records that a reset is settled: the session has taken into account what the undone part may have done. */
export function resetSettled(): void {
  lastSettled().seed = runSeed();
}

/** The Temporal server's suggestion to continue as new. Absent if the interceptors are not loaded. */
const suggestion = perRun<{ counts?: boolean }>(() => ({}));

/**
 * True if the Temporal server suggests continuing as new. The suggestion counts only after the run has handled an event
 * that stays in the history. A refused update does not stay in the history. If a run continued as new because of a refused
 * update, a replay would fail.
 */
export const continueSuggested = (): boolean => suggestion().counts ?? workflowInfo().continueAsNewSuggested;

/**
 * Reads the server's suggestion. Called after each activation with an event that stays in the history, and for each
 * accepted update.
 */
export function noteSuggestion(): void {
  suggestion().counts = workflowInfo().continueAsNewSuggested;
}

/**
 * True if an event of this activation certainly stays in the history. An update does not count, because it may still be
 * refused.
 */
const hasKeptEvent = ({ activation }: ActivateInput): boolean =>
  activation.jobs?.some(({ doUpdate, queryWorkflow }) => doUpdate == null && queryWorkflow == null) ?? false;

/** Called as a run begins, before it handles any event. */
export function interceptors(): WorkflowInterceptors {
  resetSettled();
  return {
    internals: [
      {
        activate: (input, next) => {
          next(input);
          // This comes after `next`. Otherwise, an update that is refused in the same activation could wake the
          // workflow.
          if (hasKeptEvent(input)) noteSuggestion();
        },
      },
    ],
  };
}
