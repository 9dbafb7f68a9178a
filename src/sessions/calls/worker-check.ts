import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { toMs } from '../timestamps';
import { NoWorkerError, withTimeout } from './engine-errors';
import {
  getsSessions,
  isPinned,
  type UnservedQueue,
  versionOf,
  whyIdle,
  type WorkerVersion,
} from './worker-versions';

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
  /** Its version, if it uses worker versioning. */
  readonly version: WorkerVersion | undefined;
  /** Whether it gets sessions: one whose version is not current gets none but those that are pinned to it. */
  readonly getsSessions: boolean;
}

/** A poller as the engine lists it: when it polled last, by the engine's clock. */
type Listed = Omit<Poller, 'recent'>;

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
    ...one,
    recent: agoMs(one) < STALE_MS,
    polledAtMs: one.polledAtMs === 0 ? 0 : Math.round(Date.now() - agoMs(one)),
  }));
}

async function pollersAt(
  client: Client,
  partition: string,
  polledFor: keyof typeof TASK_QUEUE_TYPES,
): Promise<readonly Listed[]> {
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: partition },
    taskQueueType: TASK_QUEUE_TYPES[polledFor],
  });
  return pollers.map((poller) => {
    const { identity, lastAccessTime } = poller;
    const version = versionOf(poller);
    return {
      identity: identity ?? '',
      polledAtMs: lastAccessTime == null ? 0 : toMs(lastAccessTime),
      version,
      getsSessions: getsSessions(version, versioningInfo),
    };
  });
}

/** The task queue, if no worker gets its sessions; `undefined` where one may. Throws what the engine answers. */
export async function unservedQueue(client: Client, taskQueue: string): Promise<UnservedQueue | undefined> {
  const { namespace } = client.options;
  return unservedBy(await pollersOf(client, taskQueue), { taskQueue, namespace });
}

/** The same of pollers that are known: none may be there and busy, or none that may be gets sessions. */
export function unservedBy(
  pollers: readonly Poller[],
  place: Omit<UnservedQueue, 'why'>,
): UnservedQueue | undefined {
  const recent = pollers.filter((poller) => poller.recent);
  if (recent.some((poller) => poller.getsSessions)) return undefined;
  const versions = new Map(recent.map(({ version }) => [JSON.stringify(version), version]));
  return { ...place, why: whyIdle(place.namespace, [...versions.values()]) };
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

interface Answered {
  readonly workflowId: string;
  /** How long to wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** The caller waits no more. */
  readonly leaving?: AbortSignal | undefined;
}

/**
 * Runs a call that a worker answers, within a time. Throws `NoWorkerError` within two seconds where the workflow's task
 * queue has no worker; waits on where there may be one, however slow, until the caller waits no more.
 */
export async function whileWorkerPolls<T>(
  client: Client,
  { workflowId, timeoutMs, leaving }: Answered,
  call: () => Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const signal = leaving === undefined ? settled.signal : AbortSignal.any([settled.signal, leaving]);
  // Each look leaves a listener behind for as long as the call lasts.
  setMaxListeners(0, signal);
  return withTimeout(client, timeoutMs, async () => {
    // Ends a call that nobody waits for: left alone, it would be repeated on a connection that is closed by then.
    const answer = client.withAbortSignal(signal, call);
    try {
      return await Promise.race([answer, noWorkerSeen(client, workflowId, signal)]);
    } finally {
      settled.abort();
    }
  });
}

/** Rejects as soon as the workflow is seen to have no worker. */
async function noWorkerSeen(client: Client, workflowId: string, signal: AbortSignal): Promise<never> {
  for (
    let waitMs = FIRST_LOOK_MS;
    ;
    waitMs = Math.min(Math.max(2 * waitMs, SECOND_LOOK_MS), LONGEST_LOOK_MS)
  ) {
    await sleep(waitMs, undefined, { signal });
    const unserved = await client.withAbortSignal(signal, () => unservedQueueOf(client, workflowId));
    if (unserved !== undefined) throw new NoWorkerError(unserved);
  }
}

/** The workflow's task queue if no worker gets the workflow; `undefined` if one may, or nobody can tell. */
async function unservedQueueOf(client: Client, workflowId: string): Promise<UnservedQueue | undefined> {
  try {
    const { taskQueue, raw } = await client.workflow.getHandle(workflowId).describe();
    const unserved = await unservedQueue(client, taskQueue);
    const mayAnswer = unserved?.why !== undefined && isPinned(raw.workflowExecutionInfo);
    return mayAnswer ? undefined : unserved;
  } catch {
    return undefined;
  }
}

/** A task queue that nobody has tasks for. The engine notes when it is polled: that is the time there. */
const QUEUE = 'paysession-clock';
/** The engine refuses a shorter poll. */
const POLL_MS = 3_000;
const READS = 10;
const BETWEEN_READS_MS = 50;
/** A clock that is put right, or a machine that slept, changes the difference. */
const HOLDS_MS = 5 * 60_000;
/** After a try that failed there is another one, each time after twice as long. */
const FIRST_PAUSE_MS = 10_000;

/** The engine's clock: this machine's may be minutes off. No call of Temporal's tells the time, so it takes two to measure it. */
export class ServerClock {
  static readonly #clocks = new WeakMap<Client, ServerClock>();
  readonly #client: Client;
  /** How far the engine's time is ahead of this process's steady clock, once that is measured. */
  #aheadMs: number | undefined;
  #nextAtMs = -Infinity;
  #pauseMs = FIRST_PAUSE_MS;
  #measuring: Promise<void> | undefined;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** The clock of the engine that a client is connected to. */
  static of(client: Client): ServerClock {
    const clock = this.#clocks.get(client) ?? new ServerClock(client);
    this.#clocks.set(client, clock);
    return clock;
  }

  /** Milliseconds since the epoch, as measured; this machine's own time before that. */
  now(): number {
    return this.#aheadMs === undefined ? Date.now() : performance.now() + this.#aheadMs;
  }

  /**
   * Measures it, unless that was done within five minutes or has failed a short while ago. Never rejects: who may not poll goes by the
   * time of this machine.
   */
  measure(): Promise<void> {
    if (performance.now() < this.#nextAtMs) return this.#measuring ?? Promise.resolve();
    this.#nextAtMs = performance.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, HOLDS_MS);
    this.#measuring = this.#tryOnce();
    return this.#measuring;
  }

  async #tryOnce(): Promise<void> {
    const aheadMs = await this.#poll().catch(() => undefined);
    if (aheadMs === undefined) return;
    this.#aheadMs = aheadMs;
    this.#nextAtMs = performance.now() + HOLDS_MS;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  async #poll(): Promise<number | undefined> {
    const { workflowService: service, options } = this.#client;
    const { namespace } = options;
    const identity = `clock-${randomUUID()}`;
    const done = new AbortController();
    const ended = this.#client
      .withAbortSignal(done.signal, () =>
        this.#client.withDeadline(Date.now() + POLL_MS, () =>
          service.pollWorkflowTaskQueue({ namespace, identity, taskQueue: { name: QUEUE } }),
        ),
      )
      .then(
        () => true,
        () => true,
      );
    try {
      for (let read = 0; read < READS; read += 1) {
        const { pollers } = await service.describeTaskQueue({
          namespace,
          taskQueue: { name: QUEUE },
          taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
        });
        const polledAt = pollers.find((poller) => poller.identity === identity)?.lastAccessTime;
        if (polledAt != null) return toMs(polledAt) - performance.now();
        if (await Promise.race([ended, sleep(BETWEEN_READS_MS, false)])) return undefined;
      }
      return undefined;
    } finally {
      done.abort();
    }
  }
}
