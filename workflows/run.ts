/** State of one workflow run, and of no other, such as whether it was reset. */
import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import type { WorkflowInterceptors } from '@temporalio/workflow';

/**
 * Returns a function that returns the calling run's own state, which `make` makes at the first call. A worker may share modules between
 * runs, so no module keeps state in any other way.
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
 * Distinguishes a run from all others, and from what a reset makes of it; a workflow task that is done again has the same. The Temporal
 * server gives a run a new seed for random numbers where it is reset, by an event of its history, and at no other time. The ids of runs
 * show resets too, but not where a history is replayed from a file. No public part of the SDK shows either.
 */
export const runSeed = (): string =>
  getActivator()
    .randomnessSeed.map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/** The seed that the run had when all that went before was known; absent where the interceptors are not loaded. */
const settled = perRun<{ seed?: string }>(() => ({}));

/**
 * True if the run was reset, as far as its history has come: it goes on from an earlier event with the memory of that time, and what
 * was done since, it may do again.
 */
export function wasReset(): boolean {
  const { seed } = settled();
  return seed !== undefined && seed !== runSeed();
}

/** Records that whatever was done before the reset is known. */
export function resetSettled(): void {
  settled().seed = runSeed();
}

/** Called as a run begins, before any of its events is taken in. */
export function interceptors(): WorkflowInterceptors {
  resetSettled();
  return {};
}
