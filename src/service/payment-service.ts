import {
  PATHS,
  readIdentity,
  readSnapshot,
  type SessionIdentity,
  type SessionRequest,
  type SessionSnapshot,
} from '../contract';
import { ServiceError } from '../errors';
import { isPathSegment } from './address';
import { authorize } from './authorize';
import { withinScope, type CallScope } from './call-scope';
import { createOutcome, createWithoutToken, type CreateOutcome } from './create-outcome';
import { successJson, type Exchange, type OutgoingRequest } from './exchange';
import { failureOf, impossibleSession, type ServiceCall } from './failures';
import { resolveOptions, type CallOptions, type PaymentServiceOptions, type ServiceConfig } from './options';
import { TokenSource } from './token-source';
import { Transport } from './transport';

/** A session that was looked up by its id. */
export interface IdentifiedSession {
  readonly snapshot: SessionSnapshot;
  readonly identity: SessionIdentity;
}

/**
 * Client of the payment service for one account, with its own connections and its own token, which never leaves it.
 * No call is repeated, except once with a new token after a 401.
 */
export class PaymentService {
  readonly #config: ServiceConfig;
  readonly #transport: Transport;
  readonly #tokens: TokenSource;
  #closing: Promise<void> | undefined;

  /** Throws `SettingsError` when the base URL or a limit is malformed. */
  constructor(options: PaymentServiceOptions) {
    this.#config = resolveOptions(options);
    this.#transport = new Transport(this.#config);
    this.#tokens = new TokenSource({
      authorize: () => authorize(this.#transport, this.#config),
      now: this.#config.now,
      renewAheadMs: this.#config.renewTokenAheadMs,
    });
  }

  /** The most calls at once. */
  get maxConnections(): number {
    return this.#config.maxConnections;
  }

  /** Makes sure that a token is held (contract A1). Throws `ServiceError`. */
  async authenticate(options?: CallOptions): Promise<void> {
    await this.#within(options, (scope) => this.#tokens.token(scope));
  }

  /**
   * Creates a session (contract A10). The service has no idempotency key, so the request is sent at most once, and once
   * more after a 401, which proves that nothing was created. Resolves for everything that the service or the network
   * does; failing to get a token is `notSent`.
   */
  async createSession(request: SessionRequest, options?: CallOptions): Promise<CreateOutcome> {
    const outgoing: OutgoingRequest = {
      method: 'POST',
      path: PATHS.sessions,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    };
    const exchange = await this.#within(options, (scope) => this.#bearerExchange(outgoing, scope)).catch(
      createWithoutToken,
    );
    if ('failure' in exchange) return exchange;
    return createOutcome(exchange, {
      checkoutUrl: (sessionId) => this.checkoutUrl(sessionId),
      nowMs: this.#config.now(),
    });
  }

  /** Reads a session (contract A50). Throws `ServiceError`. */
  async sessionDetails(sessionId: string, options?: CallOptions): Promise<SessionSnapshot> {
    return (await this.#sessionCall('details', { method: 'GET', sessionId }, options)).snapshot;
  }

  /** Reads a session, and which payment it is (contract A50). Throws `ServiceError`. */
  async identifySession(sessionId: string, options?: CallOptions): Promise<IdentifiedSession> {
    const { snapshot, body } = await this.#sessionCall('details', { method: 'GET', sessionId }, options);
    return { snapshot, identity: readIdentity(body) };
  }

  /**
   * Cancels a session (contract A54). Throws `ServiceError`; that the session has already ended is
   * `SERVICE_REQUEST_REJECTED` with status 400 or 409 (A55).
   */
  async cancelSession(sessionId: string, options?: CallOptions): Promise<SessionSnapshot> {
    return (await this.#sessionCall('cancel', { method: 'POST', sessionId }, options)).snapshot;
  }

  /** Reads a session's status, which needs no token (contract A52). Throws `ServiceError`. */
  async sessionStatus(sessionId: string, options?: CallOptions): Promise<SessionSnapshot> {
    return (await this.#sessionCall('status', { method: 'GET', sessionId }, options)).snapshot;
  }

  /** The page where the payor pays (contract A60). */
  checkoutUrl(sessionId: string): string {
    const { origin, prefix } = this.#config.address;
    return origin + prefix + PATHS.hostedFlow(sessionId);
  }

  /** Lets running calls end, for a bounded time, and closes the connections. Later calls fail without being sent. */
  async close(): Promise<void> {
    this.#closing ??= this.#transport.close();
    await this.#closing;
  }

  async #sessionCall(
    call: Extract<ServiceCall, 'details' | 'cancel' | 'status'>,
    { method, sessionId }: { readonly method: 'GET' | 'POST'; readonly sessionId: string },
    options: CallOptions | undefined,
  ): Promise<{ readonly snapshot: SessionSnapshot; readonly body: unknown }> {
    if (!isPathSegment(sessionId)) throw new ServiceError(impossibleSession(call));
    const request = { method, path: PATHS[call](sessionId) };
    const exchange = await this.#within(options, (scope) =>
      call === 'status' ? this.#transport.exchange(request, scope) : this.#bearerExchange(request, scope),
    );
    const body = successJson(exchange);
    const snapshot = readSnapshot(body);
    if (snapshot === undefined) throw new ServiceError(failureOf(call, exchange, this.#config.now()));
    return { snapshot, body };
  }

  /** One exchange with the token; after a 401 one more with a newer token. Throws `ServiceError` for want of a token. */
  async #bearerExchange(request: OutgoingRequest, scope: CallScope): Promise<Exchange> {
    const first = await this.#tokenExchange(request, scope);
    return first.kind === 'answered' && first.status === 401 ? this.#tokenExchange(request, scope) : first;
  }

  async #tokenExchange(request: OutgoingRequest, scope: CallScope): Promise<Exchange> {
    const token = await this.#tokens.token(scope);
    const exchange = await this.#transport.exchange(withToken(request, token), scope);
    if (exchange.kind === 'answered') {
      if (exchange.status === 401) this.#tokens.refused(token);
      else this.#tokens.accepted(token);
    }
    return exchange;
  }

  #within<T>(options: CallOptions | undefined, run: (scope: CallScope) => Promise<T>): Promise<T> {
    return withinScope({ timeoutMs: this.#config.callTimeoutMs, signal: options?.signal }, run);
  }
}

function withToken(request: OutgoingRequest, token: string): OutgoingRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
