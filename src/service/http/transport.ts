import { randomUUID } from 'node:crypto';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { classOf, type Tell } from '../observer';
import { type CallScope, withinScope } from '../call-scope';
import {
  type OutgoingRequest,
  type RawExchange,
  type Unanswered,
  transportReason,
  traceOf,
} from './exchange';
import { ExchangeHandler } from './exchange-handler';
import { proxyFor, throughProxy, boundAnswers } from './connections';
import type { ServiceConfig } from '../options';

/**
 * The time for which an unused connection stays open, in milliseconds. Servers usually close unused connections after 5 s. If the server
 * closes a connection just when a create request is sent, the request's outcome is unknown. So the client closes connections much earlier.
 *
 * A server's `Keep-Alive` header may shorten this time, with a margin. It never lengthens the time, because a proxy may only have passed
 * the header on.
 */
const KEEP_ALIVE = { keepAliveTimeout: 3_000, keepAliveMaxTimeout: 3_000, keepAliveTimeoutThreshold: 2_000 };

const HEADERS = {
  accept: 'application/json, application/problem+json',
  // Without this header, a server may choose any content coding (RFC 9110, 12.5.3).
  'accept-encoding': 'identity',
  'user-agent': 'paysession',
};

/** `FRAMING` is the factor by which chunked framing may lengthen a body. `MOST_HEADER_BYTES` is undici's default limit for headers. */
const [FRAMING, MOST_HEADER_BYTES] = [8, 16 * 1024];

/** Sends requests to the service. Sends each request once: follows no redirects, and repeats nothing. */
export class Transport {
  readonly #config: ServiceConfig;
  readonly #pool: Dispatcher;
  readonly #slots: ConnectionSlots;
  readonly #tell: Tell;

  constructor(config: ServiceConfig, tell: Tell) {
    this.#tell = tell;
    this.#config = config;
    const connections = config.maxConnections + config.spareConnections;
    this.#slots = new ConnectionSlots(connections);
    const connect = { timeout: config.connectTimeoutMs };
    const mostAnswerBytes = MOST_HEADER_BYTES + FRAMING * config.maxResponseBytes;
    const options = {
      connections,
      // A connection carries one request at a time. With pipelining, undici would send a request again if an earlier
      // request failed.
      pipelining: 1,
      allowH2: false,
      headersTimeout: config.headersTimeoutMs,
      bodyTimeout: config.bodyTimeoutMs,
      ...KEEP_ALIVE,
    };
    const { origin } = config.address;
    const proxy = proxyFor(new URL(origin));
    this.#pool =
      proxy === undefined
        ? new Pool(origin, {
            ...options,
            connect: boundAnswers(buildConnector({ ...connect, allowH2: false }), mostAnswerBytes),
          })
        : throughProxy(proxy, { ...options, connect, mostAnswerBytes });
  }

  /** Sends a request and reads its answer. Never rejects because of the network or the server. */
  async exchange(request: OutgoingRequest, scope: CallScope): Promise<RawExchange> {
    if (!(await this.#slots.take(scope))) return unsent(scope.stoppedBy);
    try {
      if (scope.stoppedBy !== undefined) return unsent(scope.stoppedBy);
      const bounds = { timeoutMs: this.#config.exchangeTimeoutMs, signals: [scope] };
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

  async #traced({ call, ...request }: OutgoingRequest, scope: CallScope): Promise<RawExchange> {
    const { tracer, account } = this.#config;
    const traced = traceOf(tracer, { call, method: request.method });
    const { traceparent } = traced;
    const sent = account.sendTraceparent && traceparent !== undefined ? { traceparent } : {};
    const exchange = await this.#send({ ...request, headers: { ...request.headers, ...sent } }, scope);
    traced.end(exchange);
    return exchange;
  }

  async #send(
    { method, path, headers, body }: Omit<OutgoingRequest, 'call'>,
    scope: CallScope,
  ): Promise<RawExchange> {
    let leave: (() => void) | undefined;
    try {
      return await new Promise<RawExchange>((resolve) => {
        const handler = new ExchangeHandler(this.#config.maxResponseBytes, resolve);
        leave = scope.onStop((error) => {
          handler.stop(error);
        });
        const options = {
          origin: this.#config.address.origin,
          method,
          path: this.#config.address.prefix + path,
          // `x-request-id` is for the service's logs. The client does not use it.
          headers: { ...HEADERS, ...headers, 'x-request-id': randomUUID() },
          body: body ?? null,
        };
        this.#pool.dispatch(options, handler);
      });
    } finally {
      leave?.();
    }
  }

  /** Waits up to `closeTimeoutMs` for running exchanges to end. Then aborts them. */
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
 * Limits the number of calls that use the connections at the same time. All other calls wait, and are served in the order of their
 * arrival. A call that is stopped while it waits leaves the queue at once. In undici's own queue, such a call would stay, and later use a
 * connection only to be dropped.
 */
export class ConnectionSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /**
   * Waits for a slot. Resolves to true if the call has a slot, which must be released later. Resolves to false if the call is stopped
   * first.
   */
  async take(scope: Pick<CallScope, 'stopped'>): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    let admit = (): void => undefined;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    this.#waiting.add(admit);
    await Promise.race([admitted, scope.stopped()]);
    // If the call is still in the queue, it was stopped. If it was stopped and admitted at the same time, it has a
    // slot.
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
