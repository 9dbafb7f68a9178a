import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerStatus } from '@temporalio/worker';

const LOOK_EVERY_MS = 5;
/** Longer than the test server takes to hand out what follows a call or a task. */
const QUIET_FOR_MS = 20;
/** An activity that hangs is not waited for. */
const GIVE_UP_AFTER_MS = 1_000;

/** What a worker tells of itself. */
export type StatusOf = () => WorkerStatus;

/**
 * Waits until the workers have had nothing to do for a moment. A timer must not fire while a workflow task is under way
 * that cancels it: the test server refuses that task and never hands it out again (temporalio/sdk-java, issue 3088).
 */
export async function whenQuiet(workers: readonly StatusOf[]): Promise<void> {
  const givesUpAtMs = Date.now() + GIVE_UP_AFTER_MS;
  let busyAtMs = Date.now();
  while (Date.now() - busyAtMs < QUIET_FOR_MS && Date.now() < givesUpAtMs) {
    await sleep(LOOK_EVERY_MS);
    if (workers.some((status) => isBusy(status()))) busyAtMs = Date.now();
  }
}

function isBusy({ numInFlightWorkflowActivations, numInFlightActivities }: WorkerStatus): boolean {
  return numInFlightWorkflowActivations + numInFlightActivities > 0;
}
