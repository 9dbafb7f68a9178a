import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import type { WorkflowInterceptors } from '@temporalio/workflow';

/** The seed that the run had when all that went before was known. Each run of a workflow has its own. */
let settled: string | undefined;

/**
 * Tells a run from all others, and from what a reset makes of it; a workflow task that is done again has the same. The engine gives a run
 * a new seed for random numbers where it is reset, by an event of its history, and at no other time. The ids of runs tell of resets as
 * well, but not where a history is replayed from a file. No public part of the SDK shows either.
 */
export const runSeed = (): string =>
  getActivator()
    .randomnessSeed.map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/**
 * Whether the run was reset, as far as its history has come: it goes on from an earlier event with the memory of that time, and what
 * was done since, it may do again.
 */
export const wasReset = (): boolean => settled !== undefined && settled !== runSeed();

/** Whatever was done before the reset is known, or taken note of. */
export function resetSettled(): void {
  settled = runSeed();
}

/** Called as a run begins, before any of its events is taken in. */
export function interceptors(): WorkflowInterceptors {
  resetSettled();
  return {};
}
