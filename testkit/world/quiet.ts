import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerStatus } from '@temporalio/worker';

const LOOK_EVERY_MS = 5;
/** Longer than the test server takes to hand out what follows a call or a task. */
const QUIET_FOR_MS = 20;
/** Longer than a call takes: one that hangs is not waited for. */
const HANGING_FOR_MS = 200;
const GIVE_UP_AFTER_MS = 1_000;

/** What a worker tells of itself. */
export type StatusOf = () => WorkerStatus;

/**
 * Waits until the workers have had nothing to do for a moment. A timer must not fire while a workflow task is under way
 * that cancels it: the test server refuses that task and never hands it out again (temporalio/sdk-java, issue 3088).
 */
export async function whenQuiet(workers: readonly StatusOf[]): Promise<void> {
  const startedAtMs = performance.now();
  let tasks = tasksOf(workers);
  let changedAtMs = startedAtMs;
  while (performance.now() - changedAtMs < (tasks === 0 ? QUIET_FOR_MS : HANGING_FOR_MS)) {
    if (performance.now() - startedAtMs > GIVE_UP_AFTER_MS) return;
    await sleep(LOOK_EVERY_MS);
    const now = tasksOf(workers);
    if (now !== tasks) changedAtMs = performance.now();
    tasks = now;
  }
}

/** Tasks that the workers have in hand. */
export function tasksOf(workers: readonly StatusOf[]): number {
  return workers
    .map((status) => status())
    .reduce((sum, worker) => sum + worker.numInFlightWorkflowActivations + worker.numInFlightActivities, 0);
}
