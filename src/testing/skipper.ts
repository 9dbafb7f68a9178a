import { setTimeout as sleep } from 'node:timers/promises';
import type { TestService } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';

const STRIDE_MS = 7 * 24 * 60 * 60_000;
const PAUSE_MS = 50;

/**
 * Lets a test server's time skip, a week at a time, until it is stopped. Without strides the time of a workflow that waits
 * for a person alone, with no timer, would jump at once to the end of the ten years that the server gives a workflow, and
 * the workflow would time out before the person can answer.
 */
export class Skipper {
  readonly #strides: Promise<void>;
  #stopped = false;
  #striding = false;

  constructor(private readonly server: TestService) {
    this.#strides = this.#run();
    // `stop` tells of a failure.
    this.#strides.catch(() => undefined);
  }

  /** Stops time at once. Rejects when the server failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // The stride that is cut short is still at the server, which locks time once more when it is over: see `#stride`.
    if (this.#striding) await this.server.lockTimeSkipping({});
    else await this.#strides;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#stride();
      await sleep(PAUSE_MS);
    }
  }

  async #stride(): Promise<void> {
    this.#striding = true;
    await this.server.unlockTimeSkippingWithSleep({ duration: msToTs(STRIDE_MS) });
    this.#striding = false;
    // The server locks time at the end of a stride, and `stop` has locked it before.
    if (this.#stopped) await this.server.unlockTimeSkipping({});
  }
}
