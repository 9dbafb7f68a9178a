import type { PaymentSessionHandle } from '../../src';
import type { WorkerDeployment } from '../../worker';
import { until } from './wait';
import type { World } from './worlds/world';

/** Makes a version the current one, as the Temporal CLI does on a deploy. */
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

/** The build id of the version that ran the session last. */
export async function versionOf(
  world: World,
  { workflowId }: PaymentSessionHandle,
): Promise<string | null | undefined> {
  const { raw } = await world.client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}
