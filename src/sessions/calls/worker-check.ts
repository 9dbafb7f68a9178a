import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { toMs } from '../timestamps';
import { ServerClock } from './server-clock';
import { UnattendedError } from './engine-errors';

/** How long a call may take before anybody asks whether there is a worker at all. */
const FIRST_LOOK_MS = 1_000;
const SECOND_LOOK_MS = 5_000;
/** Who waits for a change may wait for hours. */
const LONGEST_LOOK_MS = 30_000;
/**
 * A worker polls again each minute. The engine lists it for five minutes after it is gone: one that has polled within
 * this time may be there and busy.
 */
const STALE_MS = 75_000;

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

/** What workers poll a task queue for. */
const TASK_QUEUE_TYPES = { workflows: TASK_QUEUE_TYPE_WORKFLOW, activities: TASK_QUEUE_TYPE_ACTIVITY };

/** A worker that polls a task queue, or has within five minutes. */
export interface Poller {
  readonly identity: string;
  /** Whether it may still be there. */
  readonly recent: boolean;
  /** When it polled last, in milliseconds since 1970 by the clock of this machine; 0 if the engine does not tell. */
  readonly polledAtMs: number;
}

/** A poller as the engine lists it: when it polled last, by the engine's clock. */
type Listed = Pick<Poller, 'identity' | 'polledAtMs'>;

/** The engine's answer takes so long at most to be read. */
const ON_THE_WAY_MS = 5_000;

/** The workers that poll a task queue, each once. Throws what the engine answers. */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  polledFor: keyof typeof TASK_QUEUE_TYPES = 'workflows',
): Promise<readonly Poller[]> {
  const listed = await pollersAt(client, taskQueue, polledFor);
  const pollers = await judged(client, listed);
  if (pollers.some(({ recent }) => recent)) return pollers;
  // The engine told of the first partition alone, which knows nobody for a while after it has moved to another of its nodes.
  const others = await otherPartitions(client, taskQueue, polledFor);
  const found = await Promise.all(others.map((partition) => pollersAt(client, partition, polledFor)));
  const oldestFirst = [...listed, ...found.flat()].sort((one, other) => one.polledAtMs - other.polledAtMs);
  return judged(client, [...new Map(oldestFirst.map((poller) => [poller.identity, poller])).values()]);
}

/** Who may still be there. Before one is taken to be gone, or where one polls in the future, the clocks are compared. */
async function judged(client: Client, listed: readonly Listed[]): Promise<readonly Poller[]> {
  const clock = ServerClock.of(client);
  const agoMs = ({ polledAtMs }: Listed) => clock.now() - polledAtMs;
  const told = listed.filter(({ polledAtMs }) => polledAtMs > 0);
  if (told.some((one) => agoMs(one) >= STALE_MS || agoMs(one) < -ON_THE_WAY_MS)) await clock.measure();
  return listed.map((one) => ({
    identity: one.identity,
    recent: agoMs(one) < STALE_MS,
    polledAtMs: one.polledAtMs === 0 ? 0 : Math.round(Date.now() - agoMs(one)),
  }));
}

async function pollersAt(
  client: Client,
  partition: string,
  polledFor: keyof typeof TASK_QUEUE_TYPES,
): Promise<readonly Listed[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: partition },
    taskQueueType: TASK_QUEUE_TYPES[polledFor],
  });
  return pollers.map(({ identity, lastAccessTime }) => {
    return { identity: identity ?? '', polledAtMs: lastAccessTime == null ? 0 : toMs(lastAccessTime) };
  });
}

/** Whether no worker polls a task queue for workflows, nor may be busy. Throws what the engine answers. */
export async function isDeserted(client: Client, taskQueue: string): Promise<boolean> {
  return !(await pollersOf(client, taskQueue)).some(({ recent }) => recent);
}

/** The partitions of a task queue but the first one; none where the engine does not tell, as the time-skipping one. */
async function otherPartitions(
  client: Client,
  taskQueue: string,
  polledFor: keyof typeof TASK_QUEUE_TYPES,
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

interface Attended {
  readonly workflowId: string;
  /** The caller waits no more. */
  readonly leaving?: AbortSignal | undefined;
}

/**
 * Runs a call that a worker answers. Throws `UnattendedError` within two seconds where the workflow's task queue has no
 * worker; waits on where there may be one, however slow, until the caller waits no more.
 */
export async function attended<T>(
  client: Client,
  { workflowId, leaving }: Attended,
  call: () => Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const signal = leaving === undefined ? settled.signal : AbortSignal.any([settled.signal, leaving]);
  // Each look leaves a listener behind for as long as the call lasts.
  setMaxListeners(0, signal);
  // Ends a call that nobody waits for: left alone, it would be repeated on a connection that is closed by then.
  const answer = client.withAbortSignal(signal, call);
  try {
    return await Promise.race([answer, unattended(client, workflowId, signal)]);
  } finally {
    settled.abort();
  }
}

/** Rejects as soon as the workflow is seen to have no worker. */
async function unattended(client: Client, workflowId: string, signal: AbortSignal): Promise<never> {
  for (
    let waitMs = FIRST_LOOK_MS;
    ;
    waitMs = Math.min(Math.max(2 * waitMs, SECOND_LOOK_MS), LONGEST_LOOK_MS)
  ) {
    await sleep(waitMs, undefined, { signal });
    const taskQueue = await client.withAbortSignal(signal, () => deserted(client, workflowId));
    if (taskQueue !== undefined) throw new UnattendedError(taskQueue, client.options.namespace);
  }
}

/** The workflow's task queue if it has no worker; `undefined` if it may have one, or nobody can tell. */
async function deserted(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    const { taskQueue } = await client.workflow.getHandle(workflowId).describe();
    return (await isDeserted(client, taskQueue)) ? taskQueue : undefined;
  } catch {
    return undefined;
  }
}
