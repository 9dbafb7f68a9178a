import type { RouteName } from './routes';

/** The moment at which a hold or a fault acts: before the call is processed, or after it is processed and before its answer is sent. */
export type CallPhase = 'before' | 'after';

/** The calls that can be held or made to fail. */
export const FAULTY_ROUTES = ['authorize', 'create', 'details', 'cancel'] as const;

/** A call that can be held or made to fail. */
export type FaultyRoute = (typeof FAULTY_ROUTES)[number];

/** A hold, which makes one call wait until `release` or `withdraw`. */
export interface Hold {
  /** Resolves when a call arrives. Never resolves if the hold is withdrawn first. */
  readonly reached: Promise<void>;
  /** Lets the waiting call continue. If no call has arrived yet, the next call passes without waiting. */
  release(): void;
  /** Lets the waiting call continue. If no call has arrived yet, cancels the hold. */
  withdraw(): void;
}

/** A failure that has not happened yet. */
export interface ArmedFault {
  readonly route: FaultyRoute;
  readonly phase: CallPhase;
  readonly fault: Fault;
}

/** A failure of a call. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Value of the `Retry-After` header. @default none */
      readonly retryAfter?: string;
      /** @default problem details of the status */
      readonly body?: string;
      /** @default 'text/html' with a body */
      readonly contentType?: string;
      /** @default 'before' */
      readonly phase?: CallPhase;
    }
  | {
      /** The connection is reset. */
      readonly kind: 'reset';
      readonly phase: CallPhase;
    }
  | {
      /** No answer comes until the caller gives up. */
      readonly kind: 'hang';
      readonly phase: CallPhase;
    };

interface Barrier {
  readonly route: FaultyRoute;
  readonly phase: CallPhase;
  readonly arrive: () => void;
  readonly released: Promise<void>;
}

/** The maximum number of calls that one `failNext` can make fail. */
export const MAX_TIMES = 1_000;

/** The holds and faults that still wait for their calls. Each is used once, in the order in which they were set. */
export class Faults {
  readonly #holds: Barrier[] = [];
  readonly #faults: ArmedFault[] = [];

  hold(route: FaultyRoute, phase: CallPhase): Hold {
    const arrival = signal();
    const release = signal();
    const barrier: Barrier = { route, phase, arrive: arrival.resolve, released: release.promise };
    this.#holds.push(barrier);
    const withdraw = () => {
      release.resolve();
      const index = this.#holds.indexOf(barrier);
      if (index !== -1) this.#holds.splice(index, 1);
    };
    return { reached: arrival.promise, release: release.resolve, withdraw };
  }

  failNext(route: FaultyRoute, fault: Fault, times: number): void {
    if (!Number.isInteger(times) || times < 0 || times > MAX_TIMES) {
      throw new RangeError(`times must be a whole number, ${MAX_TIMES} at most, not ${times}`);
    }
    const phase = fault.phase ?? 'before';
    for (let count = 0; count < times; count += 1) this.#faults.push({ route, phase, fault });
  }

  /** Waits at the next hold of this route and phase, if there is one. */
  async pass(route: RouteName, phase: CallPhase): Promise<void> {
    const barrier = takeFirst(this.#holds, route, phase);
    barrier?.arrive();
    await barrier?.released;
  }

  /** Returns the failures that have not happened yet, in the order in which they were set. */
  armed(): readonly ArmedFault[] {
    return [...this.#faults];
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /**
   * Removes and returns the route's next fault if that fault acts in this phase. Otherwise returns `undefined`, even if a later fault acts
   * in this phase, so that the route's faults keep their order.
   */
  take(route: RouteName, phase: CallPhase): Fault | undefined {
    const next = this.#faults.find((waiting) => waiting.route === route);
    return next?.phase === phase ? takeFirst(this.#faults, route, phase)?.fault : undefined;
  }
}

function takeFirst<Waiting extends Pick<Barrier, 'route' | 'phase'>>(
  list: Waiting[],
  route: RouteName,
  phase: CallPhase,
): Waiting | undefined {
  const index = list.findIndex((waiting) => waiting.route === route && waiting.phase === phase);
  return index === -1 ? undefined : list.splice(index, 1)[0];
}

function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
