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

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

/** The engine's clock: this machine's may be minutes off. No call of Temporal's tells the time, so it takes two to measure it. */
export class ServerClock {
  static readonly #clocks = new WeakMap<Client, ServerClock>();
  readonly #client: Client;
  /** How far the engine's time is ahead of this process's steady clock, once that is measured. */
  #aheadMs: number | undefined;
  #measuredAtMs = -Infinity;
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

  /** Measures it, unless that was done or tried within five minutes. Never rejects: who may not poll goes by the time of this machine. */
  measure(): Promise<void> {
    if (performance.now() - this.#measuredAtMs < HOLDS_MS) return this.#measuring ?? Promise.resolve();
    this.#measuredAtMs = performance.now();
    this.#measuring = this.#poll().catch(() => undefined);
    return this.#measuring;
  }

  async #poll(): Promise<void> {
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
        if (polledAt != null) {
          this.#aheadMs = toMs(polledAt) - performance.now();
          return;
        }
        if (await Promise.race([ended, sleep(BETWEEN_READS_MS, false)])) return;
      }
    } finally {
      done.abort();
    }
  }
}
