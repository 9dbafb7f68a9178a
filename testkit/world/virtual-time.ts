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
 * Connects to a test server with its test service, by the same internal option that `@temporalio/testing` uses. The client package has no
 * public option for this.
 */
export async function connectTestServer(address: string): Promise<Connection> {
  const options: InternalConnectionOptions = {
    address,
    // No call is repeated. A call that a closing world cuts off would be repeated on the closed channel, and throw where no code can catch
    // the error.
    interceptors: [],
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  };
  return Connection.connect(options);
}

/** If no event is due, the server would jump ten years, to the end that it sets for every workflow. So time skips in steps. */
const SHORTEST_STEP_MS = 30_000;
const LONGEST_STEP_MS = 24 * 60 * 60_000;
/** A step is a fifth of the time that was skipped before it. */
const GROWTH = 0.2;
/** A day that is skipped faster than this was empty. Real time must then pass, since other work may need it. */
const EMPTY_STEP_MS = 10;
const CHECK_EVERY_MS = 20;

/**
 * The test server's clock. It runs with the machine's, and skips only during `advance` and `whileSkipping`. Even then, it skips only while
 * no activity is scheduled or running. So the distance to the machine's clock that is known when an activity is scheduled stays valid until
 * the activity ends. Worker and sandbox read the time during activities. A payor's action calls `sync` first.
 */
export class VirtualTime implements Clock {
  #aheadMs = 0;
  /** Skips take turns, because the server accepts one unlock at a time. */
  #turns: Promise<unknown> = Promise.resolve();
  /** The number of turns that are running or waiting. */
  #waiting = 0;
  #workers: readonly StatusOf[] = [];
  /** The number of pieces of work that are planned. */
  #planned = 0;
  #isLeaving = false;
  readonly #server: TestService;

  private constructor(server: TestService) {
    this.#server = server;
  }

  /**
   * Takes over a server that has just started, whose time skips, or one whose time another world has locked (`isLocked`). Throws
   * `TypeError` if the connection is not to a test server.
   */
  static async takeOver({ testService }: Connection, isLocked = false): Promise<VirtualTime> {
    if (testService === undefined) throw new TypeError('the connection is not to a test server');
    if (!isLocked) await testService.lockTimeSkipping({});
    const time = new VirtualTime(testService);
    await time.sync();
    return time;
  }

  /**
   * Sets the workers. From now on, before time begins to skip or a message is sent, waits until these workers have nothing to do, but about
   * a second at most.
   */
  watch(workers: readonly StatusOf[]): void {
    this.#workers = workers;
  }

  /** Returns the latest known time of the server's clock, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The milliseconds that the server's clock is ahead of the machine's. */
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
   * Lets this much time pass. Resolves when everything that is due in that time has happened. Throws `PaysessionError` `TEMPORAL_STUCK` if
   * time cannot skip, as `whileSkipping` does.
   */
  async advance(milliseconds: number): Promise<void> {
    await whenQuiet(this.#workers);
    await this.#inTurn(() => this.#skip(milliseconds));
    await this.sync();
  }

  /**
   * Lets time skip until the work has ended, as long as the work needs time. The last step, a day at most, may end later. Stops skipping
   * when `over` aborts, that is, when the waiting call is over.
   */
  async whileSkipping<T>(
    work: () => Promise<T>,
    needsTime: () => Promise<boolean>,
    over?: AbortSignal,
  ): Promise<T> {
    const progress = { ended: false };
    const result = work().finally(() => (progress.ended = true));
    // The result is awaited at the end, and may fail before.
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
   * Sends a message to a workflow at the present time: time does not skip while the message is on its way, and the workers have no other
   * tasks then. The answer may need time that skips, so time may skip again once the workers have taken the message.
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
   * Plans work for a moment this much later. Resolves as soon as the work is planned. From then on, time does not skip past the moment
   * until the work has ended. The work must not reject.
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
    // If the server does not answer, it has ended.
    void working.catch(() => undefined).finally(() => (this.#planned -= 1));
  }

  /** Drops the planned work. Resolves with true if the server has nothing planned any more: it is then as it was found. */
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

/** Returns a duration as Temporal's API takes it. */
function durationOf(milliseconds: number): google.protobuf.IDuration {
  const seconds = Math.floor(milliseconds / 1_000);
  const nanos = Math.round((milliseconds - seconds * 1_000) * 1_000_000);
  return google.protobuf.Duration.fromObject({ seconds, nanos });
}

/** The time limit of a skip. A server that has lost a task no longer skips: its time passes like real time. */
const SKIPS_WITHIN_MS = 500;
/** The maximum number of skips, each of a day. A plan is at most a day ahead. */
const MOST_SKIPS_TO_LEAVE = 3;

/** Ends the open workflows of a world. Resolves with true if time can still skip. Otherwise, it would not skip in the next world either. */
export async function leaveAsFound(
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
    // A failed task of a workflow that was terminated is tried again minutes later, and time then stops. Skipping a day shows that.
    const skips = testService?.unlockTimeSkippingWithSleep({ duration: durationOf(LONGEST_STEP_MS) });
    return await Promise.race([skips?.then(() => true) ?? false, sleep(SKIPS_WITHIN_MS, false)]);
  } catch {
    // The server is then not lent to another world.
    return false;
  }
}

const STUCK_CHECK_EVERY_MS = 50;
/** The limit counts checks of idle workers, not time: while a machine hangs, time passes, but no check is made. */
const CHECKS_UNTIL_STUCK = 600;

/**
 * Waits until time has skipped. Throws `PaysessionError` `TEMPORAL_STUCK` once the workers have had nothing to do for half a minute: time
 * does not skip while a task is open, so it then waits for a task that no worker has.
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
/** Longer than the test server takes to hand out the tasks that follow a call or a task. */
const QUIET_FOR_MS = 20;
/** Longer than a normal call takes: `whenQuiet` does not wait for a call that hangs. */
const HANGING_FOR_MS = 200;
const GIVE_UP_AFTER_MS = 1_000;

/** Returns a worker's report of itself. */
export type StatusOf = () => WorkerStatus;

/**
 * Waits until the workers have had nothing to do for a moment, but about a second at most. Does not wait for a call that hangs. A timer
 * must not fire during a workflow task that cancels it: the test server refuses that task and never hands it out again
 * (temporalio/sdk-java, issue 3088).
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
