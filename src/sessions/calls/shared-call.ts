/** Lets several callers share one call to Temporal. */
import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import type { SessionState } from '../../protocol/state/session';

/** A call for which several callers wait. Each caller has its own time limit. */
export class SharedCall<T> {
  /** Resolves once the call has an answer or an error. */
  readonly settled: Promise<void>;
  readonly #answer: Promise<T>;
  readonly #left = new AbortController();
  #callers = 0;
  #isOver = false;

  constructor(client: Client, call: () => Promise<T>) {
    // Temporal's client adds a listener for each request of the call.
    setMaxListeners(0, this.#left.signal);
    this.#answer = client.withAbortSignal(this.#left.signal, call);
    const settle = () => {
      this.#isOver = true;
    };
    this.settled = this.#answer.then(settle, settle);
  }

  /** True if all callers stopped waiting before there was an answer. */
  get isLeft(): boolean {
    return this.#left.signal.aborted;
  }

  /**
   * Waits for the answer, together with other callers. If one caller stops waiting, the call continues for the others. If the last
   * caller stops waiting, the call is aborted. Otherwise, Temporal's client could repeat the call later, on a connection that is
   * already closed.
   */
  async join(wait: (answer: Promise<T>) => Promise<T>): Promise<T> {
    this.#callers += 1;
    try {
      return await wait(this.#answer);
    } finally {
      this.#callers -= 1;
      if (this.#callers === 0 && !this.#isOver)
        this.#left.abort(new Error('No caller waits for the call any more.'));
    }
  }

  /** Throws if all callers have stopped waiting. */
  throwIfLeft(): void {
    this.#left.signal.throwIfAborted();
  }
}

/**
 * Combines the calls of many callers, for each key. While a call is running, new callers do not join it, because it may have read the
 * state before they asked. Instead, all of them share the next call.
 */
export class CoalescedCalls<T> {
  readonly #client: Client;
  readonly #running = new Map<string, SharedCall<T>>();
  readonly #following = new Map<string, SharedCall<T>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns the call that a new caller joins. */
  at(key: string, call: () => Promise<T>): SharedCall<T> {
    const following = this.#following.get(key);
    if (following?.isLeft === false) return following;
    const running = this.#running.get(key);
    return running?.isLeft === false ? this.#follow(key, running, call) : this.#start(key, call);
  }

  #start(key: string, call: () => Promise<T>): SharedCall<T> {
    const started = new SharedCall(this.#client, call);
    this.#run(key, started);
    return started;
  }

  #follow(key: string, running: SharedCall<T>, call: () => Promise<T>): SharedCall<T> {
    const following = new SharedCall(this.#client, async () => {
      await running.settled;
      if (this.#following.get(key) === following) this.#following.delete(key);
      following.throwIfLeft();
      this.#run(key, following);
      return call();
    });
    this.#following.set(key, following);
    return following;
  }

  #run(key: string, call: SharedCall<T>): void {
    this.#running.set(key, call);
    void call.settled.then(() => {
      if (this.#running.get(key) === call) this.#running.delete(key);
    });
  }
}

/**
 * Returns the calls that all handles of one `PaymentSessions` share. The Temporal server runs only one query of a session at a time.
 * Without sharing, most of many simultaneous queries would be refused and repeated until their time is over.
 */
export const sharedByKey = (client: Client) => ({
  refreshes: new CoalescedCalls<SessionState>(client),
  states: new CoalescedCalls<SessionState>(client),
});

export type SharedByKey = ReturnType<typeof sharedByKey>;
