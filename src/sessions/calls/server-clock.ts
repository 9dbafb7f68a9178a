import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { toMs } from '../timestamps';

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

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

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
