/** Reads from Temporal which workers poll a task queue, whether they get sessions, and whether they require encryption. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { PaysessionError, withRemedy } from '../../errors';
import { toMs } from '../temporal-values';
import { signalOfCall, untilLeft, withTimeout, type Wait } from './deadlines';
import { SharedCall } from './shared-call';
import { NoWorkerError, type IdleReason, type UnservedQueue } from './temporal-errors';
import { shellWord } from '../../contract/values/text';
import { encryptionOf } from '../../encryption/worker-encryption';

/** If a call has no answer after this time, the client checks whether there is a worker. */
const FIRST_CHECK_MS = 1_000;
/**
 * The longest pause between two checks. The pauses grow, because a caller may wait for a change for hours. Frequent checks would not help:
 * a lost worker counts as running for two minutes.
 */
const LONGEST_CHECK_PAUSE_MS = 30_000;

interface Answered {
  readonly workflowId: string;
  /**
   * The task queue on which the call starts the workflow. It is checked first.
   * @default only the task queue of the running workflow is checked
   */
  readonly taskQueue?: string;
  /** The longest wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted once the caller stops waiting. */
  readonly leaving?: AbortSignal | undefined;
}

/**
 * Runs a call that a worker must answer, within `timeoutMs`. Meanwhile, checks whether there is such a worker, for the first time after a
 * second. If none of the workers that have polled in the last two minutes gets the workflow, throws `NoWorkerError`. Otherwise, waits
 * until the time is over or the caller stops waiting.
 */
export async function whileWorkerPolls<T>(
  client: Client,
  { timeoutMs, leaving, ...workflow }: Answered,
  call: () => Promise<T>,
): Promise<T> {
  const { signal, end } = signalOfCall(...(leaving === undefined ? [] : [leaving]));
  return withTimeout(client, timeoutMs, async () => {
    // The call ends when its caller stops waiting. Otherwise, the client could repeat the call later, on a connection
    // that is already closed.
    const answer = client.withAbortSignal(signal, call);
    try {
      return await Promise.race([answer, noWorkerSeen(client, workflow, signal)]);
    } finally {
      end();
    }
  });
}

type AskedWorkflow = Pick<Answered, 'workflowId' | 'taskQueue'>;

/** Checks repeatedly. Rejects as soon as a check shows that the workflow has no worker. */
async function noWorkerSeen(client: Client, workflow: AskedWorkflow, signal: AbortSignal): Promise<never> {
  for (let waitMs = FIRST_CHECK_MS; ; waitMs = Math.min(5 * waitMs, LONGEST_CHECK_PAUSE_MS)) {
    await sleep(waitMs, undefined, { signal });
    const unserved = await client.withAbortSignal(signal, () => unservedQueueOf(client, workflow, signal));
    if (unserved !== undefined) throw new NoWorkerError(unserved);
  }
}

/**
 * Returns the workflow's task queue if no worker gets the workflow. Returns `undefined` if a worker may get it, or if Temporal does not
 * answer.
 */
async function unservedQueueOf(
  client: Client,
  { workflowId, taskQueue }: AskedWorkflow,
  signal: AbortSignal,
): Promise<UnservedQueue | undefined> {
  try {
    if (taskQueue !== undefined && (await sharedCheck(client, taskQueue, signal)) === undefined)
      return undefined;
    const described = await client.workflow.getHandle(workflowId).describe();
    const unserved = await sharedCheck(client, described.taskQueue, signal);
    const mayAnswer = unserved?.why !== undefined && isPinned(described.raw.workflowExecutionInfo);
    return mayAnswer ? undefined : unserved;
  } catch {
    return undefined;
  }
}

/** The time for which all calls of a client use the result of one check. */
const CHECK_HOLDS_MS = 1_000;
/** The time limit of a check. If a check takes longer, the calls continue without its result. */
const CHECK_WITHIN_MS = 2_000;

/** A check of a task queue that several calls share. */
interface Check<T> {
  readonly atMs: number;
  readonly call: SharedCall<T>;
}

const checks = new WeakMap<Client, Map<string, Check<UnservedQueue | undefined>>>();

function sharedCheck(
  client: Client,
  taskQueue: string,
  signal: AbortSignal,
): Promise<UnservedQueue | undefined> {
  const ofClient = checks.get(client) ?? new Map<string, Check<UnservedQueue | undefined>>();
  checks.set(client, ofClient);
  const check = freshCheck(client, ofClient.get(taskQueue), CHECK_HOLDS_MS, () =>
    unservedQueue(client, taskQueue),
  );
  ofClient.set(taskQueue, check);
  return check.call.join((unserved) => untilLeft(client, signal, () => unserved));
}

/** Returns the last check if it is recent and not aborted. Otherwise, begins a new check. */
function freshCheck<T>(
  client: Client,
  last: Check<T> | undefined,
  holdsMs: number,
  ask: () => Promise<T>,
): Check<T> {
  const atMs = performance.now();
  if (last?.call.isLeft === false && atMs - last.atMs < holdsMs) return last;
  return { atMs, call: new SharedCall(client, () => withTimeout(client, CHECK_WITHIN_MS, ask)) };
}

/**
 * Returns the task queue if no worker gets its sessions. Returns `undefined` if a worker may get them. Throws the Temporal server's
 * errors.
 */
export async function unservedQueue(client: Client, taskQueue: string): Promise<UnservedQueue | undefined> {
  const { namespace } = client.options;
  return unservedBy(await pollersOf(client, taskQueue), { taskQueue, namespace });
}

/**
 * Returns the task queue `place` with the reason, if none of its recent pollers gets sessions. Returns `undefined` if one of them does.
 */
export function unservedBy(
  pollers: readonly Poller[],
  place: Omit<UnservedQueue, 'why'>,
): UnservedQueue | undefined {
  const recent = pollers.filter((poller) => poller.recent);
  if (recent.some((poller) => poller.getsSessions)) return undefined;
  const versions = new Map(recent.map(({ version }) => [JSON.stringify(version), version]));
  return { ...place, why: whyIdle(place.namespace, [...versions.values()]) };
}

/**
 * A worker that has polled within this time may still be running. A running worker polls each minute, and another minute allows for a
 * Temporal server whose clock is behind this machine's. The server lists a stopped worker for five minutes, so the time of its last poll
 * must be checked.
 */
const STALE_MS = 120_000;

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

/** The kinds of tasks for which workers poll a task queue. */
const TASK_QUEUE_TYPES = { workflows: TASK_QUEUE_TYPE_WORKFLOW, activities: TASK_QUEUE_TYPE_ACTIVITY };
type TaskKind = keyof typeof TASK_QUEUE_TYPES;

/** A worker that polls a task queue, or has polled it within the last five minutes. */
export interface Poller {
  readonly identity: string;
  /** True if the worker has polled within the last two minutes, so that it may still be running. */
  readonly recent: boolean;
  /** The time of the worker's last poll, in milliseconds since 1970 by the Temporal server's clock. 0 if the server does not report it. */
  readonly polledAtMs: number;
  /** The worker's version, if the worker uses worker versioning. */
  readonly version: WorkerVersion | undefined;
  /** True if the worker gets new sessions. Otherwise, it gets only sessions that are pinned to its version. */
  readonly getsSessions: boolean;
}

/** Returns the workers that poll a task queue, without duplicates. Throws the Temporal server's errors. */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  polledFor: TaskKind = 'workflows',
): Promise<readonly Poller[]> {
  const listed = await pollersAt(client, taskQueue, polledFor);
  if (listed.some(({ recent }) => recent)) return listed;
  // The Temporal server has reported only the first partition of the task queue. After a partition moves to another
  // node, it knows no workers for a while.
  const others = await otherPartitions(client, taskQueue, polledFor);
  const found = await Promise.all(others.map((partition) => pollersAt(client, partition, polledFor)));
  const oldestFirst = [...listed, ...found.flat()].sort((one, other) => one.polledAtMs - other.polledAtMs);
  return [...new Map(oldestFirst.map((poller) => [poller.identity, poller])).values()];
}

async function pollersAt(client: Client, partition: string, polledFor: TaskKind): Promise<readonly Poller[]> {
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: partition },
    taskQueueType: TASK_QUEUE_TYPES[polledFor],
  });
  return pollers.map((poller) => {
    const { identity, lastAccessTime } = poller;
    const version = versionOf(poller);
    const polledAtMs = lastAccessTime == null ? 0 : toMs(lastAccessTime);
    return {
      identity: identity ?? '',
      recent: Date.now() - polledAtMs < STALE_MS,
      polledAtMs,
      version,
      getsSessions: getsSessions(version, versioningInfo),
    };
  });
}

/**
 * Returns the partitions of a task queue, except the first. Returns an empty list if the Temporal server does not list partitions, such as
 * the time-skipping test server.
 */
async function otherPartitions(
  client: Client,
  taskQueue: string,
  polledFor: TaskKind,
): Promise<readonly string[]> {
  try {
    const { workflowTaskQueuePartitions, activityTaskQueuePartitions } =
      await client.workflowService.listTaskQueuePartitions({
        namespace: client.options.namespace,
        taskQueue: { name: taskQueue },
      });
    const partitions = { workflows: workflowTaskQueuePartitions, activities: activityTaskQueuePartitions };
    return partitions[polledFor].flatMap(({ key }) => (key == null || key === taskQueue ? [] : [key]));
  } catch {
    return [];
  }
}

/** A version of workers, as Temporal's worker deployments name it. */
interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** The type of a field of Temporal's API that the server may leave out. */
type Nullish<T> = T | null | undefined;
type PollerInfo = temporal.api.taskqueue.v1.PollerInfo.$Properties;
type Routing = temporal.api.taskqueue.v1.TaskQueueVersioningInfo.$Properties;

const { WORKER_VERSIONING_MODE_VERSIONED } = temporal.api.enums.v1.WorkerVersioningMode;
const { VERSIONING_BEHAVIOR_PINNED } = temporal.api.enums.v1.VersioningBehavior;

/** Returns the version of a worker; `undefined` if the worker does not use worker versioning. */
function versionOf({ deploymentOptions }: PollerInfo): WorkerVersion | undefined {
  if (deploymentOptions?.workerVersioningMode !== WORKER_VERSIONING_MODE_VERSIONED) return undefined;
  return { deploymentName: deploymentOptions.deploymentName ?? '', buildId: deploymentOptions.buildId ?? '' };
}

/**
 * True if workers of this version get new sessions of the task queue. A ramping version gets a percentage of the new sessions, and the
 * current version gets the rest. If there is no current version, workers without a version get the rest.
 */
export function getsSessions(version: WorkerVersion | undefined, routing: Nullish<Routing>): boolean {
  const current = routing?.currentDeploymentVersion;
  const percentage = routing?.rampingVersionPercentage ?? 0;
  // A Temporal server before 1.28 reports the current version in another form. Then any worker may get sessions.
  if (current == null && !['', '__unversioned__'].includes(routing?.currentVersion ?? '')) return true;
  if (percentage > 0 && isSame(version, routing?.rampingDeploymentVersion)) return true;
  return percentage < 100 && isSame(version, current);
}

function isSame(
  one: WorkerVersion | undefined,
  other: Nullish<Partial<Record<keyof WorkerVersion, Nullish<string>>>>,
) {
  return one?.deploymentName === other?.deploymentName && one?.buildId === other?.buildId;
}

/** True if a workflow may be pinned to one version of the workers, which need not be the current version. */
function isPinned(info: Nullish<temporal.api.workflow.v1.WorkflowExecutionInfo.$Properties>): boolean {
  const { behavior, versioningOverride } = info?.versioningInfo ?? {};
  return behavior === VERSIONING_BEHAVIOR_PINNED || versioningOverride != null;
}

/** The maximum number of versions that a message names. Of all others, it gives only the number. */
const MAX_NAMED = 3;

/**
 * Returns the reason why workers of the versions `idle` get no sessions, and the fix. `undefined` in `idle` means workers without a
 * version. Returns `undefined` if `idle` is empty.
 */
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

/** If workers accept plain text, all starts use this result for this time. After a refusal, each start checks again. */
const PERMISSION_HOLDS_MS = 30_000;

/**
 * Checks, before a start, whether the workers require encryption. Without this check, Temporal would store the payor's data in plain text
 * before a worker refuses it. A client with any encryption codec is not checked.
 */
export class PlainTextGuard {
  readonly #client: Client;
  readonly #taskQueue: string;
  #lastCheck: Check<boolean> | undefined;

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /**
   * Throws `PaysessionError` `ENCRYPTION_REQUIRED` if a worker of the task queue refuses plain text. Returns if the check has no result
   * within two seconds, or within the caller's time limit.
   */
  async check({ timeoutMs, leaving }: Wait): Promise<void> {
    const client = this.#client;
    if (client.options.loadedDataConverter.payloadCodecs.length > 0) return;
    const check = freshCheck(client, this.#lastCheck, PERMISSION_HOLDS_MS, async () =>
      (await this.encryptions()).some(({ required }) => required),
    );
    this.#lastCheck = check;
    const join = (answer: Promise<boolean>) =>
      withTimeout(client, Math.min(timeoutMs, CHECK_WITHIN_MS), () =>
        untilLeft(client, leaving, () => answer),
      );
    // An error of the check is ignored, because the start itself will report it.
    const refuses = await check.call.join(join).catch(() => undefined);
    if (refuses !== false) this.#lastCheck = undefined;
    if (refuses !== true) return;
    const happened = `Nothing was started: the workers of the task queue "${this.#taskQueue}" require encryption, and this client has no keys.`;
    throw new PaysessionError('ENCRYPTION_REQUIRED', withRemedy('ENCRYPTION_REQUIRED', happened));
  }

  /** Returns the encryption of each worker that has polled recently and announces encryption. Throws the Temporal server's errors. */
  async encryptions() {
    const pollers = await pollersOf(this.#client, this.#taskQueue);
    return pollers.flatMap(({ identity, recent }) => (recent ? (encryptionOf(identity) ?? []) : []));
  }
}
