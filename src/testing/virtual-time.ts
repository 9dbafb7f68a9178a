import { Connection, type TestService } from '@temporalio/client';
import {
  InternalConnectionOptionsSymbol,
  type InternalConnectionOptions,
} from '@temporalio/client/lib/connection';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import type { Clock } from '../../sandbox';
import { whenQuiet, type StatusOf } from './quiet';

/** Connects to a test server with its test service, by the same switch that `@temporalio/testing` sets. */
export async function connectTestServer(address: string): Promise<Connection> {
  const options: InternalConnectionOptions = {
    address,
    // No call is repeated: one that a closing world cuts off would be repeated on its closed channel, which throws
    // where nobody can catch it.
    interceptors: [],
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  };
  return Connection.connect(options);
}

/**
 * The test server's clock. At rest it runs with the machine's; it skips only during `advance` and `whileSkipping`, and
 * there only while no activity is scheduled or runs. So the distance to the machine's clock, known since an activity was
 * scheduled, holds until the activity ends: that is when worker and sandbox look at the time.
 */
export class VirtualTime implements Clock {
  #aheadMs = 0;
  /** Works under way for which time skips. */
  #works = 0;
  #advancing: Promise<void> = Promise.resolve();
  #workers: readonly StatusOf[] = [];

  private constructor(private readonly server: TestService) {}

  /** Takes over a server that has just started, whose time skips. Throws `TypeError` for any other server. */
  static async takeOver({ testService }: Connection): Promise<VirtualTime> {
    if (testService === undefined) throw new TypeError('the connection is not to a test server');
    await testService.lockTimeSkipping({});
    const time = new VirtualTime(testService);
    await time.sync();
    return time;
  }

  /** From now on, time starts to skip and skipping ends only while these workers have nothing to do. */
  watch(workers: readonly StatusOf[]): void {
    this.#workers = workers;
  }

  /** Milliseconds since the epoch, as of the last `sync`. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Takes the server's clock to have come as far as this, in milliseconds since the epoch. */
  hasReached(milliseconds: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, milliseconds - Date.now());
  }

  /** Reads the server's clock. */
  async sync(): Promise<void> {
    const { time } = await this.server.getCurrentTime({});
    this.#aheadMs = tsToMs(time) - Date.now();
  }

  /** Lets this much time pass; everything that is due in it has happened when it returns. */
  async advance(milliseconds: number): Promise<void> {
    const turn = this.#advancing.then(() => this.#sleep(milliseconds));
    this.#advancing = turn.catch(() => undefined);
    await turn;
    await this.#settle();
  }

  async #sleep(milliseconds: number): Promise<void> {
    const duration = msToTs(milliseconds);
    await whenQuiet(this.#workers);
    if (this.#works > 0) await this.#skip(() => this.server.sleep({ duration }));
    else await this.server.unlockTimeSkippingWithSleep({ duration });
  }

  /** Lets time skip until the work has ended. */
  async whileSkipping<T>(work: () => Promise<T>): Promise<T> {
    await this.#advancing;
    try {
      return await this.#skip(work);
    } finally {
      await this.#settle();
    }
  }

  /** The server takes one unlock at a time: the first work unlocks, the last one locks. */
  async #skip<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      if (this.#works === 1) {
        await whenQuiet(this.#workers);
        await this.server.unlockTimeSkipping({});
      }
      return await work();
    } finally {
      this.#works -= 1;
      if (this.#works === 0) await this.server.lockTimeSkipping({});
    }
  }

  /**
   * Sends a message to a workflow that time does not overtake: it does not skip while the message is on its way, and
   * the workers have nothing else to do then.
   */
  async whileStill<T>(send: () => Promise<T>): Promise<T> {
    let sent: Promise<T>;
    await this.server.lockTimeSkipping({});
    try {
      await whenQuiet(this.#workers);
      sent = send();
      // The answer may need time that skips: only its taking in is waited for here.
      sent.catch(() => undefined);
      await whenQuiet(this.#workers);
    } finally {
      await this.server.unlockTimeSkipping({});
    }
    return sent;
  }

  /** Lets the workers finish what the time that passed has begun. */
  async #settle(): Promise<void> {
    if (this.#works === 0) await whenQuiet(this.#workers);
    await this.sync();
  }
}
