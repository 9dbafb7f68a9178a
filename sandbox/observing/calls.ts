import type { Clock } from '../clock/clock';
import type { RouteName } from '../http/routes';

/** One call that the sandbox received: never its body, its token or its query. */
export interface SandboxCall {
  /** The HTTP method. */
  readonly method: string;
  /** The route that was called; `unknown` for a path that the service does not have. */
  readonly route: RouteName | 'unknown';
  /** Absent until the call is answered, and for ever when it never is. */
  readonly status?: number;
  /** The session that the call was about; absent where it was about none. */
  readonly sessionId?: string;
  /** When it arrived; ISO 8601, UTC. */
  readonly at: string;
}

/** A call that is being answered. */
export interface OpenCall {
  answered(status: number): void;
  concerns(sessionId: string): void;
}

/** The calls, from their arrival on. */
export class CallLog {
  readonly #calls: BoundedList<{ call: SandboxCall }>;
  readonly #clock: Clock;

  constructor(options: { readonly clock: Clock; readonly maxCalls: number }) {
    this.#calls = new BoundedList(options.maxCalls);
    this.#clock = options.clock;
  }

  arrived({ method, route }: Pick<SandboxCall, 'method' | 'route'>): OpenCall {
    const entry: { call: SandboxCall } = {
      call: { method, route, at: new Date(this.#clock.now()).toISOString() },
    };
    this.#calls.push(entry);
    return {
      answered: (status) => {
        entry.call = { ...entry.call, status };
      },
      concerns: (sessionId) => {
        entry.call = { ...entry.call, sessionId };
      },
    };
  }

  clear(): void {
    this.#calls.clear();
  }

  all(): readonly SandboxCall[] {
    return this.#calls.all().map(({ call }) => call);
  }
}

/** A list that forgets its oldest entries beyond a maximum. */
class BoundedList<Entry> {
  readonly #entries: Entry[] = [];

  constructor(readonly maximum: number) {}

  push(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.maximum) this.#entries.shift();
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** A copy, oldest first. */
  all(): readonly Entry[] {
    return [...this.#entries];
  }
}
