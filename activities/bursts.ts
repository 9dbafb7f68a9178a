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

  /** A burst of a session begins; the signal tells it to make no further poll. */
  begin(session: SessionName): AbortSignal {
    this.end(session);
    const controller = new AbortController();
    this.#running.set(nameOf(session), controller);
    return controller.signal;
  }

  /** Forgets the burst that got this signal: it has ended. */
  forget(session: SessionName, signal: AbortSignal): void {
    const name = nameOf(session);
    if (this.#running.get(name)?.signal === signal) this.#running.delete(name);
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
