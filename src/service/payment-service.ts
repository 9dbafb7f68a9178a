import {
  PATHS,
  type ExpectedSession,
  type SessionRequest,
  type SessionSnapshot,
  isNestedTooDeeply,
  MAX_JSON_DEPTH,
} from '../contract';
import { ServiceError, InvalidRequestError } from '../errors';
import { withinScope, type CallScope } from './call-scope';
import { createOutcome, createWithoutToken } from './answers/create-outcome';
import { namedSession, type OutgoingRequest, type RawExchange, isPathSegment } from './http/exchange';
import { impossibleSession, type WaitReading } from './answers/status-to-error';
import {
  resolveOptions,
  type CallOptions,
  type CreateCallOptions,
  type PaymentServiceOptions,
  type ServiceConfig,
  type SessionCallOptions,
} from './options';
import type { Tell } from './observer';
import { Redactor } from './redactor';
import { readSessionAnswer, type SessionQuestion, LastAnswers } from './answers/session-answer';
import { TokenSource } from './token-source';
import { Transport } from './http/transport';
import type { CreateOutcome, IdentifiedSession } from '../protocol/activities';

/**
 * The client of the payment service for one account. It has its own connections and its own access token, which callers never see. It
 * repeats a call only after a 401: once, with a new token. Numbers such as A10 are rules in docs/contract.md.
 */
export class PaymentService {
  readonly #config: ServiceConfig;
  readonly #transport: Transport;
  readonly #tokens: TokenSource;
  readonly #redactor: Redactor;
  readonly #lastAnswers = new LastAnswers();
  #closing: Promise<void> | undefined;

  /** Throws `SettingsError` if an option is invalid, or if the environment names a proxy with an invalid URL. */
  constructor(options: PaymentServiceOptions, tell: Tell = () => undefined) {
    this.#config = resolveOptions(options);
    this.#transport = new Transport(this.#config, tell);
    this.#redactor = new Redactor(this.#config.account);
    this.#tokens = new TokenSource({
      transport: this.#transport,
      config: this.#config,
      redactor: this.#redactor,
      tell,
    });
  }

  /** The maximum number of calls at the same time, not counting create requests that hang. */
  get maxConnections(): number {
    return this.#config.maxConnections;
  }

  /** The number of additional connections for create requests that hang while other calls are answered. */
  get spareConnections(): number {
    return this.#config.spareConnections;
  }

  /** Ensures that the client has a valid token (contract A1). Throws `ServiceError` if the service grants no token. */
  async authenticate(options?: CallOptions): Promise<void> {
    await this.#withTimeout(options, (scope) => this.#tokens.hold(scope));
  }

  /**
   * Creates a session (contract A10). The service has no idempotency key, so the request is sent at most once. Only after a 401, which
   * proves that nothing was created, it is sent once more.
   *
   * If the service or the network fails, does not throw, but returns the outcome. Without a token, the outcome is `notSent`. Throws
   * `InvalidRequestError`, and sends nothing, if the request is not JSON or is nested too deeply. Throws the error of `beforeSend`.
   */
  async createSession(request: SessionRequest, options?: CreateCallOptions): Promise<CreateOutcome> {
    const outgoing: OutgoingRequest = {
      call: 'create',
      method: 'POST',
      path: PATHS.sessions,
      headers: { 'content-type': 'application/json' },
      body: requestBody(request),
    };
    const exchange = await this.#withTimeout(options, (scope) =>
      this.#bearerExchange(outgoing, scope, options?.beforeSend),
    ).catch(createWithoutToken);
    if ('failure' in exchange) return exchange;
    const named = namedSession(exchange);
    return createOutcome(this.#redactor.exchange(exchange), {
      checkoutUrl: (sessionId) => this.checkoutUrl(sessionId),
      referenceId: request.referenceId == null ? null : this.#redactor.text(request.referenceId),
      request,
      named: named === undefined ? undefined : this.#redactor.text(named),
      ...this.#reading(),
    });
  }

  /**
   * Reads a session's details (contract A50). Throws `ServiceError`. Its code is `SERVICE_WRONG_SESSION` if the answer is about
   * another session or payment.
   */
  async sessionDetails(sessionId: string, options?: SessionCallOptions): Promise<SessionSnapshot> {
    return (await this.identifySession(sessionId, options)).snapshot;
  }

  /** Reads a session's details as `sessionDetails` does. Also returns the payment that the session is for. */
  async identifySession(sessionId: string, options?: SessionCallOptions): Promise<IdentifiedSession> {
    return await this.#sessionCall('details', { method: 'GET', sessionId }, options);
  }

  /**
   * Cancels a session (contract A54). Throws `ServiceError`. Its code is `SERVICE_REQUEST_REJECTED`, with status 400 or 409, if the
   * session has already ended (contract A55). It is `SERVICE_WRONG_SESSION` if the answer is about another session or payment.
   */
  async cancelSession(sessionId: string, options?: SessionCallOptions): Promise<SessionSnapshot> {
    return (await this.#sessionCall('cancel', { method: 'POST', sessionId }, options)).snapshot;
  }

  /** Returns the URL of a session's payor page (contract A60). */
  checkoutUrl(sessionId: string): string {
    const { origin, prefix } = this.#config.address;
    return origin + prefix + PATHS.hostedFlow(sessionId);
  }

  /** Waits up to `closeTimeoutMs` for running calls to end, and closes the connections. Later calls fail and send nothing. */
  async close(): Promise<void> {
    this.#closing ??= this.#transport.close();
    await this.#closing;
  }

  async #sessionCall(
    call: SessionQuestion['call'],
    { method, sessionId }: { readonly method: 'GET' | 'POST'; readonly sessionId: string },
    options: SessionCallOptions | undefined,
  ): Promise<IdentifiedSession> {
    if (!isPathSegment(sessionId)) throw new ServiceError(impossibleSession(call));
    const request = { call, method, path: PATHS[call](sessionId) };
    const exchange = await this.#withTimeout(options, (scope) => this.#bearerExchange(request, scope));
    const expected = options?.expected;
    // The expected values are redacted like the answer. A reference may contain a short secret by chance, and must
    // still be equal.
    const readNow = () =>
      readSessionAnswer(this.#redactor.exchange(exchange), {
        call,
        sessionId: this.#redactor.text(sessionId),
        expected: this.#redactor.json(expected) as ExpectedSession | undefined,
        ...this.#reading(),
      });
    const secrets = this.#redactor.revision;
    return call === 'details'
      ? this.#lastAnswers.read(exchange, { sessionId, expected, secrets }, readNow)
      : readNow();
  }

  /** Returns the options for reading an answer. */
  #reading(): Required<WaitReading> {
    return { nowMs: this.#config.now?.(), longestRetryAfterMs: this.#config.longestRetryAfterMs };
  }

  #bearerExchange(
    request: OutgoingRequest,
    scope: CallScope,
    beforeSend?: CreateCallOptions['beforeSend'],
  ): Promise<RawExchange> {
    return this.#tokens.exchange(scope, async (token) => {
      await beforeSend?.();
      return this.#transport.exchange(withToken(request, token), scope);
    });
  }

  #withTimeout<T>(options: CallOptions | undefined, run: (scope: CallScope) => Promise<T>): Promise<T> {
    return withinScope(
      { timeoutMs: this.#config.callTimeoutMs, signals: [options?.signal, options?.scope] },
      run,
    );
  }
}

function withToken(request: OutgoingRequest, token: string): OutgoingRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/**
 * Returns a create request as JSON text. Throws `InvalidRequestError` if the request is cyclic, is not JSON, or is nested too deeply.
 */
function requestBody(request: SessionRequest): string {
  const body = writtenJson(request);
  if (body === undefined) throw invalid('must be JSON, without cycles');
  if (isNestedTooDeeply(body)) throw invalid(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  return body;
}

/**
 * Returns a value as JSON text, or `undefined` if that is impossible. `JSON.stringify` itself throws for cycles, for values that JSON
 * does not have and for very deep values, and returns `undefined` for some others.
 */
function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const invalid = (message: string) => new InvalidRequestError([{ path: 'request', message }]);
