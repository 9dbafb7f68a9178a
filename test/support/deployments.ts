import type { PaymentSessionHandle } from '../../src';
import type { WorkerDeployment } from '../../worker';
import { until } from './wait';
import type { World } from './worlds/world';

/** Makes a worker version the current one of its deployment, as an operator does with the Temporal CLI. */
export async function setCurrentVersion(
  { client }: Pick<World, 'client'>,
  { name, buildId }: WorkerDeployment,
): Promise<void> {
  await until(
    () =>
      client.workflowService
        .setWorkerDeploymentCurrentVersion({
          namespace: 'default',
          deploymentName: name,
          buildId,
          ignoreMissingTaskQueues: true,
        })
        .then(
          () => 'set' as const,
          (error: unknown) => error,
        ),
    (outcome) => outcome === 'set',
  );
}

/** Returns the build id of the version that last ran the session. */
export async function versionOf(
  world: World,
  { workflowId }: PaymentSessionHandle,
): Promise<string | null | undefined> {
  const { raw } = await world.client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}
