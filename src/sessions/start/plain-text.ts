import type { Client } from '@temporalio/client';
import { PaysessionError, withRemedy } from '../../errors';
import { isTimeout, withTimeout } from '../calls/engine-errors';
import { pollersOf } from '../calls/worker-check';
import { encryptionOf } from '../../encryption/worker-encryption';

/** A start waits so long at most to learn what the workers require; where nobody can tell, it goes on. */
const WITHIN_MS = 2_000;
/** How long a leave holds. A refusal is looked at anew each time. */
const HOLDS_MS = 30_000;

/**
 * Keeps requests that would be stored in plain text from workers that require encryption: they would refuse them, and the payor's data
 * would be readable for nothing. A client that encrypts, by our codec or another, is asked nothing.
 */
export class PlainTextGuard {
  readonly #client: Client;
  readonly #taskQueue: string;
  #askedAtMs = -Infinity;
  #refuses = Promise.resolve(false);

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /**
   * Throws `PaysessionError` `ENCRYPTION_REQUIRED` if a worker of the task queue takes no plain text. Goes on where that is not known
   * within the caller's time, in milliseconds.
   */
  async check(timeoutMs: number): Promise<void> {
    if (this.#client.options.loadedDataConverter.payloadCodecs.length > 0) return;
    if (performance.now() - this.#askedAtMs > HOLDS_MS) {
      this.#askedAtMs = performance.now();
      this.#refuses = this.#ask(Math.min(timeoutMs, WITHIN_MS));
    }
    if (!(await this.#refuses)) return;
    this.#askedAtMs = -Infinity;
    const happened = `Nothing was started: the workers of the task queue "${this.#taskQueue}" require encryption, and this client has no keys.`;
    throw new PaysessionError('ENCRYPTION_REQUIRED', withRemedy('ENCRYPTION_REQUIRED', happened));
  }

  async #ask(timeoutMs: number): Promise<boolean> {
    try {
      const pollers = await withTimeout(this.#client, timeoutMs, () =>
        pollersOf(this.#client, this.#taskQueue),
      );
      return pollers.some(({ identity, recent }) => recent && encryptionOf(identity)?.required === true);
    } catch (error) {
      // The next start may have more time.
      if (isTimeout(error)) this.#askedAtMs = -Infinity;
      // The start itself tells what is wrong with the Temporal server.
      return false;
    }
  }
}
