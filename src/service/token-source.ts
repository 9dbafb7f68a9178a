import { explain, ServiceError, type ServiceFailure } from '../errors';
import { type CallScope, CallStoppedError, withinScope } from './call-scope';
import { type RawExchange, parsed, successJson } from './http/exchange';
import { failureOf, notSent } from './answers/status-to-error';
import { PATHS, TOKEN_LIFETIME_S } from '../contract';
import { readToken } from './answers/reading';
import type { ServiceConfig } from './options';
import type { Tell } from './observer';
import type { Redactor } from './redactor';
import type { Transport } from './http/transport';
import { basicCredentials } from './http/headers';

/**
 * Keeps the access token that all calls of an account share, in memory only. Renews the token before it expires.
 *
 * If the service keeps refusing the credentials, or each new token, the client requests tokens less and less often. Between these
 * requests, calls without a valid token fail at once and send nothing.
 */
export class TokenSource {
  readonly #context: AuthorizeContext;
  readonly #clock: () => number;
  readonly #gate = new AuthorizeGate();
  #grant: TokenGrant | undefined;
  #renewal: Promise<TokenGrant> | undefined;

  constructor(context: AuthorizeContext) {
    this.#context = context;
    this.#clock = context.config.clock;
  }

  /** Ensures that there is a valid token. Throws `ServiceError` if the service grants none. */
  async hold(scope: CallScope): Promise<void> {
    await this.#token(scope);
  }

  /**
   * Makes one exchange with the token. After a 401, makes a second exchange with a new token. Throws `ServiceError` if there is no token.
   * In that case, nothing was sent, or the first request was refused with a 401.
   */
  async exchange(
    scope: CallScope,
    send: (accessToken: string) => Promise<RawExchange>,
  ): Promise<RawExchange> {
    const first = await this.#exchangeOnce(scope, send);
    return isUnauthorized(first) ? this.#exchangeOnce(scope, send) : first;
  }

  async #exchangeOnce(
    scope: CallScope,
    send: (accessToken: string) => Promise<RawExchange>,
  ): Promise<RawExchange> {
    const accessToken = await this.#token(scope);
    const exchange = await send(accessToken);
    if (isUnauthorized(exchange)) this.#refused(accessToken);
    else if (exchange.kind === 'answered') this.#accepted(accessToken);
    return exchange;
  }

  /** Returns the token. Throws only `ServiceError`, from which the caller knows that its own call was not sent. */
  async #token(scope: CallScope): Promise<string> {
    try {
      return (await this.#validGrant(scope)).accessToken;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError(notSent('authorize', error));
    }
  }

  /**
   * Returns a valid token:
   * - If a token is due for renewal but still valid, begins the renewal and returns the valid token. No call waits for the renewal, and no
   *   call fails if the renewal fails.
   * - If there is no valid token, requests one. Calls that need a token at the same time share the request. If one of these calls is
   *   stopped, the request continues for the others.
   * - If the service has just refused credentials or tokens, throws that refusal, with the time until the next token request.
   */
  async #validGrant(scope: CallScope): Promise<TokenGrant> {
    const held = this.#heldGrant();
    if (held !== undefined && !this.#isDue(held)) return held;
    const refusal = this.#renewal === undefined ? this.#gate.refusal(this.#clock()) : undefined;
    if (refusal !== undefined) throw new ServiceError(refusal);
    if (held !== undefined) {
      // An error is ignored here. A later call renews again, and reports its error if the token has expired by then.
      this.#renew().catch(() => undefined);
      return held;
    }
    // A call that is already stopped begins no renewal, because no caller would receive the renewal's error.
    const first = scope.stoppedBy ?? (await Promise.race([this.#renew(), scope.stopped()]));
    if (!(first instanceof CallStoppedError)) return first;
    const stopped = { kind: 'unanswered', sent: false, reason: first.code } as const;
    throw new ServiceError(failureOf('authorize', stopped));
  }

  #renew(): Promise<TokenGrant> {
    return (this.#renewal ??= this.#authorize());
  }

  /** Drops a refused token and records the refusal. Does nothing if there is already a newer token. */
  #refused(accessToken: string): void {
    if (this.#grant?.accessToken !== accessToken) return;
    this.#grant = undefined;
    this.#gate.refused(tokenRefused(), this.#clock());
  }

  /** Records that the service accepted a call with this token. Does nothing if there is already a newer token. */
  #accepted(accessToken: string): void {
    if (this.#grant?.accessToken === accessToken) this.#gate.succeeded('call');
  }

  /** Returns the current token, if it has not expired. */
  #heldGrant(): TokenGrant | undefined {
    return this.#grant !== undefined && this.#clock() < this.#grant.expiresAtMs ? this.#grant : undefined;
  }

  /**
   * True if the token should be renewed now. False soon after a failed renewal. A token with a short lifetime is renewed after half of its
   * lifetime: otherwise, it would be renewed at every call.
   */
  #isDue({ expiresAtMs, lifetimeMs }: TokenGrant): boolean {
    const aheadMs = Math.min(this.#context.config.renewTokenAheadMs, lifetimeMs / 2);
    return this.#clock() >= Math.max(expiresAtMs - aheadMs, this.#gate.renewAtMs);
  }

  async #authorize(): Promise<TokenGrant> {
    try {
      this.#grant = await authorize(this.#context);
      this.#gate.succeeded('grant');
      return this.#grant;
    } catch (error) {
      if (error instanceof ServiceError) {
        const { failure } = error;
        this.#gate.failed(failure, this.#clock());
        if (failure.code === 'SERVICE_CREDENTIALS_REJECTED') this.#context.tell('credentialsRefused', {});
      }
      throw error;
    } finally {
      this.#renewal = undefined;
    }
  }
}

const isUnauthorized = (exchange: RawExchange): boolean =>
  exchange.kind === 'answered' && exchange.status === 401;

function tokenRefused(): ServiceFailure {
  const code = 'SERVICE_TOKEN_REJECTED';
  return { code, message: explain(code), status: 401 };
}

const FIRST_WAIT_MS = 1_000;

const LONGEST_WAIT_MS = 60_000;

/** The shortest wait after a failed renewal, in milliseconds, while there is a valid token. */
const RENEW_AGAIN_MS = 5_000;

/**
 * Limits how often the client requests tokens while the service refuses them. A client that requests too often may be locked out. Times
 * are in milliseconds of one clock.
 */
class AuthorizeGate {
  #refusals = 0;
  #untilMs = -Infinity;
  #failure: ServiceFailure | undefined;
  #renewAtMs = -Infinity;

  /** The earliest time of the next renewal while there is a valid token. */
  get renewAtMs(): number {
    return Math.max(this.#renewAtMs, this.#untilMs);
  }

  /**
   * Returns the refusal because of which no token may be requested now, with the time until the next request. Returns `undefined` if a
   * token may be requested.
   */
  refusal(nowMs: number): ServiceFailure | undefined {
    if (this.#failure === undefined || nowMs >= this.#untilMs) return undefined;
    return { ...this.#failure, retryAfterMs: this.#untilMs - nowMs };
  }

  /** Records that a token request failed. */
  failed(failure: ServiceFailure, nowMs: number): void {
    this.#renewAtMs = nowMs + Math.max(RENEW_AGAIN_MS, failure.retryAfterMs ?? 0);
    if (failure.code === 'SERVICE_CREDENTIALS_REJECTED') this.refused(failure, nowMs);
  }

  /**
   * Records that the service refused the credentials, or a call with the current token. After the first refused token, a new token may be
   * requested at once, because the old token may have been revoked. Any other refusal begins a wait. The wait doubles with each refusal,
   * up to a minute.
   */
  refused(failure: ServiceFailure, nowMs: number): void {
    const isFirstToken = this.#refusals === 0 && failure.code === 'SERVICE_TOKEN_REJECTED';
    this.#refusals += 1;
    this.#failure = failure;
    if (isFirstToken) return;
    this.#untilMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#refusals - 1, 20), LONGEST_WAIT_MS);
  }

  /**
   * Records that the service granted a token (`grant`), or accepted a call with the token (`call`). A granted token shows that the
   * credentials are accepted again. Only an accepted call shows that tokens are accepted again.
   */
  succeeded(by: 'grant' | 'call'): void {
    if ((this.#failure?.code === 'SERVICE_TOKEN_REJECTED') !== (by === 'call')) return;
    this.#refusals = 0;
    this.#untilMs = -Infinity;
    this.#failure = undefined;
  }
}

/** An access token and its lifetime (contract rule A3, docs/contract.md). */
interface TokenGrant {
  readonly accessToken: string;
  readonly lifetimeMs: number;
  /** The time at which the token expires, in milliseconds of the client's clock. */
  readonly expiresAtMs: number;
}

/** The parts of a client that a token request needs. */
interface AuthorizeContext {
  readonly transport: Transport;
  readonly config: ServiceConfig;
  readonly redactor: Redactor;
  readonly tell: Tell;
}

/**
 * Requests a token with the client's credentials (contract A1 to A5). Has its own time limit, because several calls may wait for the
 * token. Throws `ServiceError`. Its code is `SERVICE_CREDENTIALS_REJECTED` if the credentials are wrong.
 */
async function authorize({ transport, config, redactor, tell }: AuthorizeContext): Promise<TokenGrant> {
  // The token's lifetime counts from the request, because the service may have issued the token long before the answer
  // arrived.
  const askedAtMs = config.clock();
  const exchange = await withinScope({ timeoutMs: config.callTimeoutMs }, (scope) =>
    transport.exchange(
      {
        call: 'authorize',
        method: 'POST',
        path: PATHS.authorize,
        headers: {
          authorization: `Basic ${basicCredentials(config.account)}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      },
      scope,
    ),
  );
  // The answer is read before it is redacted. Otherwise, a token that the service issues a second time would be removed
  // as a known secret.
  const grant = readGrant(successJson(parsed(exchange)), askedAtMs);
  if (grant === undefined) {
    const { now, longestRetryAfterMs } = config;
    const reading = { nowMs: now?.(), longestRetryAfterMs };
    throw new ServiceError(failureOf('authorize', redactor.exchange(exchange), reading));
  }
  redactor.learn(grant.accessToken);
  tell('tokenRenewed', {});
  return grant;
}

function readGrant(json: unknown, askedAtMs: number): TokenGrant | undefined {
  const token = readToken(json);
  // Only visible ASCII can be a token in a header.
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token.access_token)) return undefined;
  const lifetimeMs = (token.expires_in ?? TOKEN_LIFETIME_S) * 1_000;
  return { accessToken: token.access_token, lifetimeMs, expiresAtMs: askedAtMs + lifetimeMs };
}
