import type { Clock } from '../clock';
import type { RouteName } from './routes';

/** One call that the sandbox received, without its body, token and query. */
export interface SandboxCall {
  /** The HTTP method. */
  readonly method: string;
  /** The route that was called; `unknown` if the sandbox has no route for the method and path. */
  readonly route: RouteName | 'unknown';
  /** Absent until the call is answered. A call may never be answered. */
  readonly status?: number;
  /** The session that the call is about, if the sandbox knows it. */
  readonly sessionId?: string;
  /** Time of arrival; ISO 8601, UTC. */
  readonly at: string;
}

/** A call that is being answered. */
export interface OpenCall {
  answered(status: number): void;
  concerns(sessionId: string): void;
}

/** Records each call when it arrives. Beyond `maxCalls`, drops the oldest call. */
export class CallLog {
  readonly #calls: { call: SandboxCall }[] = [];
  readonly #options: { readonly clock: Clock; readonly maxCalls: number };

  constructor(options: { readonly clock: Clock; readonly maxCalls: number }) {
    this.#options = options;
  }

  arrived({ method, route }: Pick<SandboxCall, 'method' | 'route'>): OpenCall {
    const { clock, maxCalls } = this.#options;
    const entry: { call: SandboxCall } = {
      call: { method, route, at: new Date(clock.now()).toISOString() },
    };
    this.#calls.push(entry);
    if (this.#calls.length > maxCalls) this.#calls.shift();
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
    this.#calls.length = 0;
  }

  all(): readonly SandboxCall[] {
    return this.#calls.map(({ call }) => call);
  }
}
