/** The workers of a task queue: their polls, their sessions and their requirements. */
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

/** The time after which a call without an answer checks whether there is a worker at all. */
const FIRST_CHECK_MS = 1_000;
/**
 * The longest pause between checks. Checks get rarer, because a caller that waits for a change may wait for hours. A lost worker counts as
 * present for two minutes anyway.
 */
const LONGEST_CHECK_PAUSE_MS = 30_000;

interface Answered {
  readonly workflowId: string;
  /**
   * The task queue on which the call starts the workflow; it is checked first. @default only the task queue of the running workflow is
   * checked
   */
  readonly taskQueue?: string;
  /** The longest wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted once the caller stops waiting. */
  readonly leaving?: AbortSignal | undefined;
}

/**
 * Runs a call that a worker answers, within a time. Throws `NoWorkerError` if a check finds that no worker gets the workflow, out of those
 * that have polled in the last two minutes. The first check begins after a second. If a slow worker may be there, waits until the time is
 * over or the caller stops waiting.
 */
export async function whileWorkerPolls<T>(
  client: Client,
  { timeoutMs, leaving, ...workflow }: Answered,
  call: () => Promise<T>,
): Promise<T> {
  const { signal, end } = signalOfCall(...(leaving === undefined ? [] : [leaving]));
  return withTimeout(client, timeoutMs, async () => {
    // Ends the call when its caller stops waiting: otherwise it would be repeated later, on a connection that is already closed.
    const answer = client.withAbortSignal(signal, call);
    try {
      return await Promise.race([answer, noWorkerSeen(client, workflow, signal)]);
    } finally {
      end();
    }
  });
}

type AskedWorkflow = Pick<Answered, 'workflowId' | 'taskQueue'>;

/** Rejects as soon as a check shows that the workflow has no worker. */
async function noWorkerSeen(client: Client, workflow: AskedWorkflow, signal: AbortSignal): Promise<never> {
  for (let waitMs = FIRST_CHECK_MS; ; waitMs = Math.min(5 * waitMs, LONGEST_CHECK_PAUSE_MS)) {
    await sleep(waitMs, undefined, { signal });
    const unserved = await client.withAbortSignal(signal, () => unservedQueueOf(client, workflow, signal));
    if (unserved !== undefined) throw new NoWorkerError(unserved);
  }
}

/** Returns the workflow's task queue if no worker gets the workflow; `undefined` if a worker may get it, or if Temporal does not say. */
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

/** The time for which one check of a task queue serves all calls of a client. */
const CHECK_HOLDS_MS = 1_000;
/** The longest wait for a check. If it takes longer, the calls continue. */
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

/** Returns the last check if it is recent and its callers have not all left. Otherwise begins another, with its own time limit. */
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

/** Returns the task queue if no worker gets its sessions; `undefined` if a worker may get them. Throws the Temporal server's errors. */
export async function unservedQueue(client: Client, taskQueue: string): Promise<UnservedQueue | undefined> {
  const { namespace } = client.options;
  return unservedBy(await pollersOf(client, taskQueue), { taskQueue, namespace });
}

/** Returns the task queue `place`, with the reason, if none of its recent pollers gets sessions; `undefined` if one does. */
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
 * A worker polls again each minute, and the Temporal server lists it for five minutes after it is gone. A worker that has polled
 * within this time may be there and busy. The time also allows for a Temporal server whose clock is a minute behind this machine's.
 */
const STALE_MS = 120_000;

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

/** The kinds of tasks that workers poll a task queue for. */
const TASK_QUEUE_TYPES = { workflows: TASK_QUEUE_TYPE_WORKFLOW, activities: TASK_QUEUE_TYPE_ACTIVITY };
type TaskKind = keyof typeof TASK_QUEUE_TYPES;

/** A worker that polls a task queue, or has polled it within the last five minutes. */
export interface Poller {
  readonly identity: string;
  /** True if it may still be running: it has polled within two minutes. */
  readonly recent: boolean;
  /** The time of its last poll, in milliseconds since 1970 by the Temporal server's clock; 0 if the server does not report it. */
  readonly polledAtMs: number;
  /** Its version, if it uses worker versioning. */
  readonly version: WorkerVersion | undefined;
  /** True if it gets new sessions (`getsSessions`). Any other worker gets at most the sessions that are pinned to its version. */
  readonly getsSessions: boolean;
}

/** Returns the workers that poll a task queue, each once. Throws the Temporal server's errors. */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  polledFor: TaskKind = 'workflows',
): Promise<readonly Poller[]> {
  const listed = await pollersAt(client, taskQueue, polledFor);
  if (listed.some(({ recent }) => recent)) return listed;
  // The Temporal server reported only the first partition, which knows no worker for a while after it has moved to another node.
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
 * Returns the partitions of a task queue except the first; empty if the Temporal server, such as the time-skipping one, does not list
 * them.
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

/** A version of the workers, as Temporal's worker deployments name it. */
interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** A field of Temporal's API, which the server may leave out. */
type Nullish<T> = T | null | undefined;
type PollerInfo = temporal.api.taskqueue.v1.PollerInfo.$Properties;
type Routing = temporal.api.taskqueue.v1.TaskQueueVersioningInfo.$Properties;

const { WORKER_VERSIONING_MODE_VERSIONED } = temporal.api.enums.v1.WorkerVersioningMode;
const { VERSIONING_BEHAVIOR_PINNED } = temporal.api.enums.v1.VersioningBehavior;

/** Returns the version of a worker; `undefined` if it does not use worker versioning. */
function versionOf({ deploymentOptions }: PollerInfo): WorkerVersion | undefined {
  if (deploymentOptions?.workerVersioningMode !== WORKER_VERSIONING_MODE_VERSIONED) return undefined;
  return { deploymentName: deploymentOptions.deploymentName ?? '', buildId: deploymentOptions.buildId ?? '' };
}

/**
 * True if workers of this version get new sessions of the task queue. A version that ramps up gets a part of them, and the current version
 * the rest. If no version is current, workers without a version get that rest.
 */
export function getsSessions(version: WorkerVersion | undefined, routing: Nullish<Routing>): boolean {
  const current = routing?.currentDeploymentVersion;
  const percentage = routing?.rampingVersionPercentage ?? 0;
  // A server before 1.28 reports the current version in another form. Then any worker may get sessions.
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

/** True if a workflow may stay with a version of the workers, current or not. */
function isPinned(info: Nullish<temporal.api.workflow.v1.WorkflowExecutionInfo.$Properties>): boolean {
  const { behavior, versioningOverride } = info?.versioningInfo ?? {};
  return behavior === VERSIONING_BEHAVIOR_PINNED || versioningOverride != null;
}

/** The maximum number of versions that a message names. It only counts the others. */
const MAX_NAMED = 3;

/**
 * Returns the reason why workers of these versions get no sessions, and the fix. `undefined` in `idle` means workers without a version.
 * Returns `undefined` if `idle` is empty.
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

/** The time for which all starts use an answer that plain text is accepted. After a refusal, each start checks again. */
const PERMISSION_HOLDS_MS = 30_000;

/**
 * Keeps plain-text requests from workers that require encryption. The workers would refuse the requests, but Temporal would already have
 * stored the payor's data unencrypted. A client that encrypts, by our codec or another, is not checked.
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
   * Throws `PaysessionError` `ENCRYPTION_REQUIRED` if a worker of the task queue refuses plain text. Continues if that is not known
   * within two seconds, or within the caller's wait.
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
    // The start itself reports what is wrong with the Temporal server.
    const refuses = await check.call.join(join).catch(() => undefined);
    if (refuses !== false) this.#lastCheck = undefined;
    if (refuses !== true) return;
    const happened = `Nothing was started: the workers of the task queue "${this.#taskQueue}" require encryption, and this client has no keys.`;
    throw new PaysessionError('ENCRYPTION_REQUIRED', withRemedy('ENCRYPTION_REQUIRED', happened));
  }

  /** Returns the encryption of each worker that announces one and has polled recently. Throws the Temporal server's errors. */
  async encryptions() {
    const pollers = await pollersOf(this.#client, this.#taskQueue);
    return pollers.flatMap(({ identity, recent }) => (recent ? (encryptionOf(identity) ?? []) : []));
  }
}
