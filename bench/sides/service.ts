import type { Fault } from '../../sandbox';
import type { FaultyRoute } from '../../sandbox/calls/faults';
import type { SandboxCall } from '../../sandbox/calls/calls';

export interface ServiceAddress {
  readonly url: string;
  readonly controlUrl: string;
}

/** Reads and controls the sandbox of a side, through the sandbox's control port. */
export class Service {
  readonly #address: ServiceAddress;

  constructor(address: ServiceAddress) {
    this.#address = address;
  }

  /** Returns the number of calls to a route so far. */
  async callsOf(route: SandboxCall['route']): Promise<number> {
    const { calls } = await this.#ask<{ readonly calls: readonly SandboxCall[] }>('GET', '/calls');
    return calls.filter((call) => call.route === route).length;
  }

  /**
   * Returns a session's current status, and the time at which the service created the session, in milliseconds since
   * 1970.
   */
  async session(sessionId: string): Promise<{ readonly createdAtMs: number; readonly status: string }> {
    const session = await this.#ask<{ createdAt: string; status: string }>('GET', `/sessions/${sessionId}`);
    return { createdAtMs: Date.parse(session.createdAt), status: session.status };
  }

  /**
   * Makes the next calls to a route fail.
   *
   * @param times at most 1000
   */
  async fail(route: FaultyRoute, fault: Fault, times: number): Promise<void> {
    await this.#ask('POST', '/faults', { route, fault, times });
  }

  async #ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.#address.controlUrl + path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }
}
