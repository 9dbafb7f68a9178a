/** Temporal's worker versioning: which workers get sessions, and what to do where none does. */
import { temporal } from '@temporalio/proto';
import { shellWord } from '../../contract/values/text';

/** A version of the workers, as Temporal's worker deployments name it. */
export interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

type Told<T> = T | null | undefined;
type PollerInfo = temporal.api.taskqueue.v1.PollerInfo.$Properties;
type Routing = temporal.api.taskqueue.v1.TaskQueueVersioningInfo.$Properties;

const { WORKER_VERSIONING_MODE_VERSIONED } = temporal.api.enums.v1.WorkerVersioningMode;
const { VERSIONING_BEHAVIOR_PINNED } = temporal.api.enums.v1.VersioningBehavior;

/** The version of a worker that uses worker versioning. */
export function versionOf({ deploymentOptions }: PollerInfo): WorkerVersion | undefined {
  if (deploymentOptions?.workerVersioningMode !== WORKER_VERSIONING_MODE_VERSIONED) return undefined;
  return { deploymentName: deploymentOptions.deploymentName ?? '', buildId: deploymentOptions.buildId ?? '' };
}

/**
 * Whether workers of a version get the sessions of a task queue: the current version and one that ramps up do. Where no version is
 * current, workers without one do.
 */
export function getsSessions(version: WorkerVersion | undefined, routing: Told<Routing>): boolean {
  const current = routing?.currentDeploymentVersion;
  const percentage = routing?.rampingVersionPercentage ?? 0;
  // A server before 1.28 tells it in another form.
  if (current == null && !['', '__unversioned__'].includes(routing?.currentVersion ?? '')) return true;
  if (percentage > 0 && isSame(version, routing?.rampingDeploymentVersion)) return true;
  return percentage < 100 && isSame(version, current);
}

function isSame(
  one: WorkerVersion | undefined,
  other: Told<Partial<Record<keyof WorkerVersion, Told<string>>>>,
) {
  return one?.deploymentName === other?.deploymentName && one?.buildId === other?.buildId;
}

/** Whether a workflow stays with a version of the workers, current or not. */
export function isPinned(info: Told<temporal.api.workflow.v1.WorkflowExecutionInfo.$Properties>): boolean {
  const { behavior, versioningOverride } = info?.versioningInfo ?? {};
  return behavior === VERSIONING_BEHAVIOR_PINNED || versioningOverride != null;
}

/** A task queue whose sessions no worker gets. */
export interface UnservedQueue {
  readonly taskQueue: string;
  readonly namespace: string;
  /** Why the workers that poll it get none, and what to do; absent where none polls it. */
  readonly why: IdleReason | undefined;
}

/** As the middle and the end of a message. */
interface IdleReason {
  readonly found: string;
  readonly fix: string;
}

/** Versions that are named; the others are counted. */
const MAX_NAMED = 3;

/** Why workers of these versions get no sessions, and what to do; `undefined` stands for workers that have none. Nothing for no workers. */
export function whyIdle(
  namespace: string,
  idle: readonly (WorkerVersion | undefined)[],
): IdleReason | undefined {
  if (idle.length === 0) return undefined;
  const versions = idle.flatMap((version) => version ?? []);
  const [first] = versions;
  if (first === undefined) {
    return {
      found: 'they have no version, and a version is current',
      fix: 'Set TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID for the workers, and make that version current.',
    };
  }
  const command = currentCommand(namespace, first);
  const named = versions
    .slice(0, MAX_NAMED)
    .map(({ deploymentName, buildId }) => `${deploymentName} ${buildId}`);
  const more = versions.length > MAX_NAMED ? ` and ${versions.length - MAX_NAMED} more` : '';
  return versions.length === 1
    ? { found: `version ${named.join()} is not current`, fix: `Make it current: \`${command}\`.` }
    : {
        found: `none of ${named.join(', ')}${more} is current`,
        fix: `Make one that is ready current, for instance: \`${command}\`.`,
      };
}

const currentCommand = (namespace: string, { deploymentName, buildId }: WorkerVersion): string =>
  'temporal worker deployment set-current-version' +
  ` --namespace ${shellWord(namespace)} --deployment-name ${shellWord(deploymentName)} --build-id ${shellWord(buildId)} --yes`;
