import type { Client } from '@temporalio/client';
import { pollersOf } from '../src/sessions';
import { repeatUntil } from './repeat-until';

export interface WorkerCountOptions {
  readonly client: Client;
  readonly taskQueue: string;
  /** The identity of this worker, by which the Temporal server lists it. */
  readonly identity: string;
  /** Called with the number of workers, including this one, each time it changes. */
  readonly onCount: (workers: number) => void;
  /** Called the first time that the Temporal server does not report the number of workers. */
  readonly onUnknown: () => void;
}

/** The pause before the second count. It is short, because workers may start together. */
const SECOND_COUNT_AFTER_MS = 1_000;
const COUNT_EVERY_MS = 5_000;
const ANSWER_WITHIN_MS = 5_000;

/**
 * Counts the workers that poll a task queue. The Temporal server lists the pollers, so the workers need no other
 * knowledge of each other. A worker that is gone counts for about two minutes, because it might only be busy. Temporal's
 * own rate limits do not help here: they count tasks, and one task may make a session's calls for hours.
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

  /** Counts the workers once, unless the signal aborts meanwhile. Never rejects: if there is no answer, the last count stays valid. */
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
   * Returns the identities of the workers that polled recently. The Temporal server reports only one part of a queue, so
   * a worker that is missing from the list for workflows may be in the one for activities.
   */
  async #others(): Promise<readonly string[]> {
    const { client, taskQueue } = this.#options;
    const lists = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      Promise.all([pollersOf(client, taskQueue), pollersOf(client, taskQueue, 'activities')]),
    );
    return lists.flat().flatMap(({ identity, recent }) => (recent ? [identity] : []));
  }
}
