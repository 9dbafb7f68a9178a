import type { WorkerStatus } from '@temporalio/worker';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type TestService } from '@temporalio/client';
import {
  InternalConnectionOptionsSymbol,
  type InternalConnectionOptions,
} from '@temporalio/client/lib/connection';
import { google } from '@temporalio/proto';
import type { Clock } from '../../sandbox';
import { toMs } from '../../src/sessions';
import { PaysessionError, withRemedy } from '../../src/errors';

/**
 * Connects to a test server. The connection includes the server's test service, which controls its clock. The client package has no public
 * option for this, so the function uses the internal option that `@temporalio/testing` uses, too.
 */
export async function connectTestServer(address: string): Promise<Connection> {
  const options: InternalConnectionOptions = {
    address,
    // Without interceptors, failed calls are not retried. When a world closes, it cuts calls off. A retry would then use the closed channel,
    // and throw an error that no code can catch.
    interceptors: [],
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  };
  return Connection.connect(options);
}

/**
 * Time skips in steps between these two lengths. Without steps, if no event is due, the server would skip ten years, to the timeout that it
 * sets for every workflow.
 */
const SHORTEST_STEP_MS = 30_000;
const LONGEST_STEP_MS = 24 * 60 * 60_000;
/** The length of a step, as a share of the time that was skipped before it. */
const GROWTH = 0.2;
/** If skipping a day took less real time than this, nothing happened in that day. Then the skipping pauses, so that other work can run. */
const EMPTY_STEP_MS = 10;
const CHECK_EVERY_MS = 20;

/**
 * The test server's clock. It runs as fast as the machine's clock, and skips ahead only during `advance` and `whileSkipping`.
 *
 * This class knows how far the server's clock is ahead of the machine's clock. The server never skips time while an activity is scheduled or
 * running. So if the class learns the distance when an activity is scheduled, the distance is right until the activity ends. The worker and
 * the sandbox read the time only during activities. Code that needs the time outside of activities calls `sync` first.
 */
export class VirtualTime implements Clock {
  #aheadMs = 0;
  /** The end of the last skip. Skips run one after the other, because the server accepts only one unlock at a time. */
  #turns: Promise<unknown> = Promise.resolve();
  /** The number of skips that run or wait. */
  #waiting = 0;
  #workers: readonly StatusOf[] = [];
  /** The number of calls of `plan` whose work has not ended. */
  #planned = 0;
  #isLeaving = false;
  readonly #server: TestService;

  private constructor(server: TestService) {
    this.#server = server;
  }

  /**
   * Takes control of a test server's clock. The time of a new server skips by itself, so this function locks it. If an earlier world has used
   * the server, that world has already locked the time (`isLocked`). Throws `TypeError` if the connection is not to a test server.
   */
  static async takeOver({ testService }: Connection, isLocked = false): Promise<VirtualTime> {
    if (testService === undefined) throw new TypeError('the connection is not to a test server');
    if (!isLocked) await testService.lockTimeSkipping({});
    const time = new VirtualTime(testService);
    await time.sync();
    return time;
  }

  /**
   * Sets the world's workers. From now on, before time begins to skip and before a message is sent, this class waits until these workers have
   * nothing to do. It waits about a second at most.
   */
  watch(workers: readonly StatusOf[]): void {
    this.#workers = workers;
  }

  /** Returns the latest known time of the server's clock, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The time by which the server's clock is ahead of the machine's clock, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Records that the server's clock has reached this time, in milliseconds since the epoch. The clock never goes back. */
  hasReached(milliseconds: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, milliseconds - Date.now());
  }

  /** Reads the server's clock. */
  async sync(): Promise<void> {
    const { time } = await this.#server.getCurrentTime({});
    this.hasReached(toMs(time ?? {}));
  }

  /**
   * Skips this much time. Resolves when everything that is due in that time has happened. Throws `PaysessionError` `TEMPORAL_STUCK` if time
   * cannot skip.
   */
  async advance(milliseconds: number): Promise<void> {
    await whenQuiet(this.#workers);
    await this.#inTurn(() => this.#skip(milliseconds));
    await this.sync();
  }

  /**
   * Runs work, and skips time until the work has ended. Time skips only while `needsTime` returns true. Time skips in steps, so the clock may
   * be up to a day past the end of the work. Stops skipping if `over` aborts. Throws `PaysessionError` `TEMPORAL_STUCK` if time cannot skip.
   */
  async whileSkipping<T>(
    work: () => Promise<T>,
    needsTime: () => Promise<boolean>,
    over?: AbortSignal,
  ): Promise<T> {
    const progress = { ended: false };
    const result = work().finally(() => (progress.ended = true));
    // The result is awaited at the end. If it fails before, this handler keeps Node from reporting an unhandled rejection.
    result.catch(() => undefined);
    const sinceMs = this.now();
    await whenQuiet(this.#workers);
    while (!progress.ended && over?.aborted !== true) {
      if (await needsTime()) {
        await this.#inTurn(async () => {
          if (!progress.ended) await this.#step(this.now() - sinceMs);
        });
      } else {
        await sleep(CHECK_EVERY_MS);
      }
    }
    await this.sync();
    return result;
  }

  /**
   * Sends a message to a workflow so that it arrives at the present virtual time. Before sending, waits until the workers have nothing to do.
   * Time does not skip until the workers have received the message. Then time may skip again, because the answer may need time to pass.
   */
  async whileStill<T>(send: () => Promise<T>): Promise<T> {
    let sent: Promise<T>;
    await this.#server.lockTimeSkipping({});
    try {
      await whenQuiet(this.#workers);
      sent = send();
      sent.catch(() => undefined);
      if (this.#waiting > 0) await whenQuiet(this.#workers);
    } finally {
      await this.#server.unlockTimeSkipping({});
    }
    return sent;
  }

  /**
   * Plans work for a later moment. Resolves as soon as the work is planned. Time does not skip past that moment until the work has ended. The
   * work must not reject.
   */
  async plan(milliseconds: number, work: () => Promise<void>): Promise<void> {
    await this.#server.lockTimeSkipping({});
    const atMs = this.now() + milliseconds;
    this.#planned += 1;
    const sleeping = this.#server.unlockTimeSkippingWithSleep({ duration: durationOf(milliseconds) });
    const working = sleeping.then(async () => {
      this.hasReached(atMs);
      if (!this.#isLeaving) await work();
      await this.#server.unlockTimeSkipping({});
    });
    // A failure here means that the server has ended.
    void working.catch(() => undefined).finally(() => (this.#planned -= 1));
  }

  /** Drops the planned work. Resolves with true if no plan is left at the server, so that another world can use the server. */
  async leave(): Promise<boolean> {
    this.#isLeaving = true;
    for (let skips = 0; this.#planned > 0 && skips < MOST_SKIPS_TO_LEAVE; skips++)
      await Promise.race([
        this.#server.unlockTimeSkippingWithSleep({ duration: durationOf(LONGEST_STEP_MS) }),
        sleep(SKIPS_WITHIN_MS),
      ]);
    return this.#planned === 0;
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    const turn = this.#turns.then(work).finally(() => (this.#waiting -= 1));
    this.#turns = turn.catch(() => undefined);
    await turn;
  }

  async #step(skippedMs: number): Promise<void> {
    const startedAt = performance.now();
    const milliseconds = Math.min(Math.max(skippedMs * GROWTH, SHORTEST_STEP_MS), LONGEST_STEP_MS);
    await this.#skip(milliseconds);
    const isEmpty = performance.now() - startedAt < EMPTY_STEP_MS;
    if (isEmpty && milliseconds === LONGEST_STEP_MS) await sleep(CHECK_EVERY_MS);
  }

  async #skip(milliseconds: number): Promise<void> {
    const endsAtMs = this.now() + milliseconds;
    const skipped = this.#server.unlockTimeSkippingWithSleep({ duration: durationOf(milliseconds) });
    await unlessStuck(skipped, this.#workers);
    this.hasReached(endsAtMs);
  }
}

/** Converts milliseconds to a duration of Temporal's API. */
function durationOf(milliseconds: number): google.protobuf.IDuration {
  const seconds = Math.floor(milliseconds / 1_000);
  const nanos = Math.round((milliseconds - seconds * 1_000) * 1_000_000);
  return google.protobuf.Duration.fromObject({ seconds, nanos });
}

/** The time limit of a skip, in real time. If a server has lost a task, its time cannot skip, and the skip would take as long as in reality. */
const SKIPS_WITHIN_MS = 500;
/** The maximum number of skips of a day each, with which a world ends its plans. The latest plan is at most a day ahead. */
const MOST_SKIPS_TO_LEAVE = 3;

/** Ends the open workflows of a world. Resolves with true if time can still skip, so that another world can use the server. */
export async function endOpenWorkflows(
  { workflowService, testService }: Connection,
  namespace: string,
): Promise<boolean> {
  try {
    const { executions } = await workflowService.listOpenWorkflowExecutions({
      namespace,
      startTimeFilter: {},
    });
    const ends = executions.map(({ execution: workflowExecution }) =>
      workflowService.terminateWorkflowExecution({ namespace, workflowExecution: workflowExecution ?? {} }),
    );
    await Promise.all(ends);
    // If a task of a terminated workflow has failed, the server retries the task minutes later, and then its time stops. A skip of a whole day
    // shows if there is such a task.
    const skips = testService?.unlockTimeSkippingWithSleep({ duration: durationOf(LONGEST_STEP_MS) });
    return await Promise.race([skips?.then(() => true) ?? false, sleep(SKIPS_WITHIN_MS, false)]);
  } catch {
    // The caller stops the server, so that no other world uses it.
    return false;
  }
}

const STUCK_CHECK_EVERY_MS = 50;
/** The limit is a number of checks and not a time. While a machine hangs, time passes, but no checks are made. */
const CHECKS_UNTIL_STUCK = 600;

/**
 * Waits for a skip to end. Time does not skip while a task is open. If the workers have had nothing to do for half a minute and the skip has
 * still not ended, there is an open task that no worker has. The function then throws `PaysessionError` `TEMPORAL_STUCK`.
 */
export async function unlessStuck(
  skipped: Promise<unknown>,
  workers: readonly StatusOf[],
  checksUntilStuck = CHECKS_UNTIL_STUCK,
): Promise<void> {
  const watch = new AbortController();
  try {
    await Promise.race([skipped, onceStuck(workers, checksUntilStuck, watch.signal)]);
  } finally {
    watch.abort();
  }
}

async function onceStuck(
  workers: readonly StatusOf[],
  checksUntilStuck: number,
  signal: AbortSignal,
): Promise<never> {
  for (let idle = 0; idle < checksUntilStuck; idle = tasksOf(workers) === 0 ? idle + 1 : 0) {
    await sleep(STUCK_CHECK_EVERY_MS, undefined, { signal });
  }
  const message =
    'Virtual time is not advancing, though the world’s workers are idle: a task waits for a worker of its task queue, or has been lost (temporalio/sdk-java#3088).';
  throw new PaysessionError('TEMPORAL_STUCK', withRemedy('TEMPORAL_STUCK', message));
}

const STATUS_EVERY_MS = 5;
/** The time without tasks after which workers count as idle. The test server takes less time to hand out the tasks that follow a call. */
const QUIET_FOR_MS = 20;
/** The time after which an unchanged number of tasks counts as calls that hang. A normal call takes less time. */
const HANGING_FOR_MS = 200;
const GIVE_UP_AFTER_MS = 1_000;

/** Returns the status of a Temporal worker. */
export type StatusOf = () => WorkerStatus;

/**
 * Waits until the workers have had nothing to do for a moment. Waits about a second at most, and does not wait for calls that hang.
 *
 * The wait is needed because of a bug in the test server (temporalio/sdk-java, issue 3088). If time skips during a workflow task that cancels
 * a timer, and that timer fires, the server refuses the task and never hands it out again.
 */
async function whenQuiet(workers: readonly StatusOf[]): Promise<void> {
  const startedAtMs = performance.now();
  let tasks = tasksOf(workers);
  let changedAtMs = startedAtMs;
  while (performance.now() - changedAtMs < (tasks === 0 ? QUIET_FOR_MS : HANGING_FOR_MS)) {
    if (performance.now() - startedAtMs > GIVE_UP_AFTER_MS) return;
    await sleep(STATUS_EVERY_MS);
    const now = tasksOf(workers);
    if (now !== tasks) changedAtMs = performance.now();
    tasks = now;
  }
}

/** Returns the number of tasks that the workers are running. */
export function tasksOf(workers: readonly StatusOf[]): number {
  return workers
    .map((status) => status())
    .reduce((sum, worker) => sum + worker.numInFlightWorkflowActivations + worker.numInFlightActivities, 0);
}
