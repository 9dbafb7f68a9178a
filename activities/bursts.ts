/**
 * The bursts of polls that run in this worker, by session: what is asked of a session meanwhile, a cancel or a refresh, ends
 * its burst at once rather than at the burst's next heartbeat.
 */
export class Bursts {
  readonly #running = new Map<string, AbortController>();

  /** How many run. */
  get count(): number {
    return this.#running.size;
  }

  /** Runs a burst of a session; the signal tells it to make no further poll. */
  async run<T>(session: SessionName, burst: (over: AbortSignal) => Promise<T>): Promise<T> {
    this.end(session);
    const name = nameOf(session);
    const controller = new AbortController();
    this.#running.set(name, controller);
    try {
      return await burst(controller.signal);
    } finally {
      if (this.#running.get(name) === controller) this.#running.delete(name);
    }
  }

  /** Tells a session's burst, where this worker runs one, to make no further poll. */
  end(session: SessionName): void {
    this.#running.get(nameOf(session))?.abort();
  }
}

interface SessionName {
  readonly account: string;
  readonly sessionId: string;
}

const nameOf = ({ account, sessionId }: SessionName): string => JSON.stringify([account, sessionId]);
