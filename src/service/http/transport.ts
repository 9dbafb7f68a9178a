import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Pool } from 'undici';
import { type ExchangeTracer, traceOf } from './exchange-tracer';
import { classOf, type Tell } from '../observer';
import { type CallScope, withinScope } from '../call-scope';
import type { Exchange, OutgoingRequest, Unanswered } from './exchange';
import type { ServiceAddress } from './address';
import { readBody } from './response-body';
import { transportReason } from './transport-reason';

/**
 * How long an unused connection is kept, in milliseconds. Servers usually close theirs after 5 s, and a create that
 * is written to a connection in that very moment has an unknown outcome, so this side closes well before. A server's
 * `Keep-Alive` hint, less the margin, may shorten the time but never lengthens it: a proxy may have passed it on.
 */
const KEEP_ALIVE = { keepAliveTimeout: 3_000, keepAliveMaxTimeout: 3_000, keepAliveTimeoutThreshold: 2_000 };

/** Times in milliseconds. */
export interface TransportOptions {
  readonly address: ServiceAddress;
  readonly maxConnections: number;
  readonly spareConnections: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly exchangeTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly tracer?: ExchangeTracer | undefined;
  readonly sendTraceparent: boolean;
}

/** Carries out each exchange once: no redirect is followed and nothing is repeated here. */
export class Transport {
  readonly #config: TransportOptions;
  readonly #pool: Pool;
  readonly #slots: ConnectionSlots;
  readonly #tell: Tell;

  constructor(config: TransportOptions, tell: Tell) {
    this.#tell = tell;
    this.#config = config;
    const connections = config.maxConnections + config.spareConnections;
    this.#slots = new ConnectionSlots(connections);
    this.#pool = new Pool(config.address.origin, {
      connections,
      // One request on a connection at a time: undici writes a pipelined request again when one before it fails.
      pipelining: 1,
      allowH2: false,
      connect: { timeout: config.connectTimeoutMs },
      headersTimeout: config.headersTimeoutMs,
      bodyTimeout: config.bodyTimeoutMs,
      ...KEEP_ALIVE,
    });
  }

  /** Sends a request and reads its answer. Resolves for everything that a network or a server can do. */
  async exchange(request: OutgoingRequest, scope: CallScope): Promise<Exchange> {
    if (!(await this.#slots.take(scope.stopped))) return unsent(await scope.stopped);
    try {
      if (scope.signal.aborted) return unsent(await scope.stopped);
      const bounds = { timeoutMs: this.#config.exchangeTimeoutMs, signal: scope.signal };
      const beganAt = performance.now();
      const exchange = await withinScope(bounds, (bounded) => this.#traced(request, bounded));
      this.#tell('callEnded', {
        call: request.call,
        ms: performance.now() - beganAt,
        ...classOf(exchange),
      });
      return exchange;
    } finally {
      this.#slots.release();
    }
  }

  async #traced({ call, ...request }: OutgoingRequest, scope: CallScope): Promise<Exchange> {
    const { tracer, sendTraceparent } = this.#config;
    const traced = traceOf(tracer, { call, method: request.method });
    const { traceparent } = traced;
    const sent = sendTraceparent && traceparent !== undefined ? { traceparent } : {};
    const exchange = await this.#send({ ...request, headers: { ...request.headers, ...sent } }, scope);
    traced.end(exchange);
    return exchange;
  }

  async #send(request: Omit<OutgoingRequest, 'call'>, scope: CallScope): Promise<Exchange> {
    const requestId = randomUUID();
    const watch = watchSend(requestId);
    try {
      const response = this.#pool.request({
        ...request,
        path: this.#config.address.prefix + request.path,
        headers: {
          accept: 'application/json, application/problem+json',
          'user-agent': 'paysession',
          ...request.headers,
          [REQUEST_ID_HEADER]: requestId,
        },
        signal: scope.signal,
      });
      // undici settles an aborted request only once it has a connection for it, hence the race; it does not write it.
      const first = await Promise.race([response, scope.stopped]);
      if (first instanceof Error) return { kind: 'unanswered', sent: watch.sent, reason: first.code };
      const body = await readBody(first.body, this.#config.maxResponseBytes);
      return { kind: 'answered', status: first.statusCode, headers: first.headers, body };
    } catch (error) {
      return { kind: 'unanswered', sent: watch.sent, reason: transportReason(error) };
    } finally {
      watch.stop();
    }
  }

  /** Lets running exchanges end for up to `closeTimeoutMs`, then cuts them off. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#config.closeTimeoutMs);
    });
    await Promise.race([this.#pool.close(), patience]);
    clearTimeout(timer);
    await this.#pool.destroy();
  }
}

function unsent(error: unknown): Unanswered {
  return { kind: 'unanswered', sent: false, reason: transportReason(error) };
}

/**
 * Lets a bounded number of calls use the connections at once; the others wait their turn in order. A call that is
 * stopped while it waits leaves at once: undici's own queue would keep it, and spend a connection on dropping it later.
 */
export class ConnectionSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves to true with a slot, which must be released, or to false when `stopped` settles first. */
  async take(stopped: Promise<unknown>): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    let admit = (): void => undefined;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    this.#waiting.add(admit);
    await Promise.race([admitted, stopped]);
    // A call still in the queue was stopped; one that is both stopped and admitted owns its slot.
    return !this.#waiting.delete(admit);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** undici publishes here, for each request, in the moment before it writes the request's headers to a socket. */
const SEND_HEADERS = 'undici:client:sendHeaders';

/** The header that tells one exchange's message from another's; its value is unique to the exchange. */
const REQUEST_ID_HEADER = 'x-request-id';

interface SendWatch {
  /** Whether undici has begun to write the request; from then on the service may have acted on it. */
  readonly sent: boolean;
  stop(): void;
}

/**
 * Watches for the request with this id to be written. The channel is shared by every undici in the process, so each
 * watch hears all requests; it stops with its exchange, and connection slots bound how many there are.
 */
export function watchSend(requestId: string): SendWatch {
  let sent = false;
  const listener = (message: unknown): void => {
    sent ||= headersOf(message)?.includes(requestId) ?? true;
  };
  subscribe(SEND_HEADERS, listener);
  return {
    get sent() {
      return sent;
    },
    stop: () => {
      unsubscribe(SEND_HEADERS, listener);
    },
  };
}

/**
 * The flat list of header names and values that undici keeps on a request. `undefined` should that ever change: then any
 * request may be this one, and a create that may have been sent must not be repeated.
 */
function headersOf(message: unknown): readonly unknown[] | undefined {
  const { request } = message as { readonly request?: { readonly headers?: unknown } };
  return Array.isArray(request?.headers) ? request.headers : undefined;
}
