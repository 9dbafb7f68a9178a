import type { WorkerOptions } from '@temporalio/worker';

/** A version of the workers, as Temporal's worker deployments name it. */
export interface WorkerDeployment {
  /** The deployment's name. */
  readonly name: string;
  /** Names this version of the worker. */
  readonly buildId: string;
}

/**
 * Open sessions move to the current version's code at their next workflow task: a session may wait weeks for a signature, and pinned
 * to its version it would need that version's workers all the time.
 */
export function versioned({ name: deploymentName, buildId }: WorkerDeployment): Partial<WorkerOptions> {
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName, buildId },
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
