import type { Client } from '@temporalio/client';
import { pollersOf } from '../src/sessions';
import { repeatUntil } from './repeat-until';

export interface WorkerCountOptions {
  readonly client: Client;
  readonly taskQueue: string;
  /** The identity of this worker. The Temporal server lists pollers by identity. */
  readonly identity: string;
  /** Called with the number of workers each time that number changes. The number includes this worker. */
  readonly onCount: (workers: number) => void;
  /** Called the first time that the Temporal server does not report the number of workers. */
  readonly onUnknown: () => void;
}

/** The pause between the first count and the second one. It is short, because several workers may start at the same time. */
const SECOND_COUNT_AFTER_MS = 1_000;
const COUNT_EVERY_MS = 5_000;
const ANSWER_WITHIN_MS = 5_000;

/**
 * Counts the workers that poll a task queue, so that they can share the accounts' rate limits. The Temporal server lists the queue's
 * pollers. A worker that has stopped still counts for about two minutes, because it might only be busy.
 *
 * Temporal's own rate limits cannot replace this count: they limit tasks, and one task may make calls for hours.
 */
export class WorkerCount {
  readonly #options: WorkerCountOptions;
  #workers = 1;
  #hasReportedUnknown = false;

  constructor(options: WorkerCountOptions) {
    this.#options = options;
  }

  /** Counts the workers repeatedly, until the signal aborts. */
  watch(signal: AbortSignal): void {
    let isFirst = true;
    void repeatUntil(signal, async () => {
      await this.look(signal);
      const pauseMs = isFirst ? SECOND_COUNT_AFTER_MS : COUNT_EVERY_MS;
      isFirst = false;
      return pauseMs;
    });
  }

  /** Counts the workers once. Never rejects: if the Temporal server does not answer, the last count stays valid. */
  async look(signal?: AbortSignal): Promise<void> {
    const { identity, onCount, onUnknown } = this.#options;
    try {
      const workers = new Set([identity, ...(await this.#others())]).size;
      if (workers === this.#workers || signal?.aborted === true) return;
      this.#workers = workers;
      onCount(workers);
    } catch {
      if (this.#hasReportedUnknown || signal?.aborted === true) return;
      this.#hasReportedUnknown = true;
      onUnknown();
    }
  }

  /**
   * Returns the identities of the workers that polled recently. A list of pollers covers only one part of a queue. So the method reads
   * the list for workflows and the list for activities: a worker that one list lacks may be in the other.
   */
  async #others(): Promise<readonly string[]> {
    const { client, taskQueue } = this.#options;
    const lists = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      Promise.all([pollersOf(client, taskQueue), pollersOf(client, taskQueue, 'activities')]),
    );
    return lists.flat().flatMap(({ identity, recent }) => (recent ? [identity] : []));
  }
}
