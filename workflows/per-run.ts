/** State that belongs to a single workflow run, such as whether the run was reset. */
import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import { workflowInfo, type ActivateInput, type WorkflowInterceptors } from '@temporalio/workflow';

/**
 * Returns a function that returns the calling run's own state. `make` creates the state at the run's first call. Runs
 * share modules, so modules keep no state in any other way.
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
 * Returns a value that distinguishes a run from all others, also from the one that a reset makes of it. A repeated
 * workflow task has the same value. The Temporal server changes a run's random seed only on a reset, by an event of the
 * history. The ids of runs show resets too, but not if a history is replayed from a file. No public part of the
 * SDK shows the seed.
 */
export const runSeed = (): string =>
  getActivator()
    .randomnessSeed.map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/** The run's seed at the last `resetSettled`. Absent if the interceptors are not loaded. */
const lastSettled = perRun<{ seed?: string }>(() => ({}));

/**
 * True if the history so far has a reset that is not settled. The run then continues from an earlier event, knows only what
 * it knew then, and may repeat what it did later.
 */
export function wasReset(): boolean {
  const { seed } = lastSettled();
  return seed !== undefined && seed !== runSeed();
}

/** Records that a reset is settled: the session has accounted for what the undone part may have done. */
export function resetSettled(): void {
  lastSettled().seed = runSeed();
}

/** The Temporal server's suggestion to continue as new. Absent if the interceptors are not loaded. */
const suggestion = perRun<{ counts?: boolean }>(() => ({}));

/**
 * True if the Temporal server suggests continuing as new. The suggestion counts only after the run has handled an event
 * that the history keeps. The history keeps no refused update, so a run that continued because of one would not replay.
 */
export const continueSuggested = (): boolean => suggestion().counts ?? workflowInfo().continueAsNewSuggested;

/** Called after each activation with an event that the history keeps, and for each accepted update. */
export function noteSuggestion(): void {
  suggestion().counts = workflowInfo().continueAsNewSuggested;
}

/** True if the history certainly keeps an event of this activation. An update does not count: it may still be refused. */
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
          // After `next`, so that an update that is refused before such an event wakes nothing.
          if (hasKeptEvent(input)) noteSuggestion();
        },
      },
    ],
  };
}
