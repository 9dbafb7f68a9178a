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
 * Holds the one token that all calls share, in memory only, and renews it before it expires. While the service refuses the
 * credentials, or each new token, the client asks for tokens less and less often. In between, calls without a valid token fail at
 * once and send nothing.
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

  /** Makes sure that there is a valid token. Throws `ServiceError` if there is none. */
  async hold(scope: CallScope): Promise<void> {
    await this.#token(scope);
  }

  /**
   * Makes one exchange with the token, and after a 401 a second one with a newer token. Throws `ServiceError` if there is no token: then
   * nothing was sent, or the service refused the first request with a 401.
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

  /** Returns the token. Throws only `ServiceError`: the call that needs the token is not sent, and must not count as lost. */
  async #token(scope: CallScope): Promise<string> {
    try {
      return (await this.#validGrant(scope)).accessToken;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError(notSent('authorize', error));
    }
  }

  /**
   * Returns a valid token. Calls that need a new token at the same time share one token request, which continues for the others if one of
   * them is stopped. Until the old token expires, no call waits for the renewal, or fails because the renewal fails. If there is no valid
   * token while the client waits after a refusal of credentials or tokens, throws that refusal with the time until the next token request.
   */
  async #validGrant(scope: CallScope): Promise<TokenGrant> {
    const held = this.#heldGrant();
    if (held !== undefined && !this.#isDue(held)) return held;
    const refusal = this.#renewal === undefined ? this.#gate.refusal(this.#clock()) : undefined;
    if (refusal !== undefined) throw new ServiceError(refusal);
    if (held !== undefined) {
      // The error is dropped: a later call renews again, and reports its own error once the token has expired.
      this.#renew().catch(() => undefined);
      return held;
    }
    // A call that has already been stopped begins no renewal, because no caller would receive the renewal's error.
    const first = scope.stoppedBy ?? (await Promise.race([this.#renew(), scope.stopped()]));
    if (!(first instanceof CallStoppedError)) return first;
    const stopped = { kind: 'unanswered', sent: false, reason: first.code } as const;
    throw new ServiceError(failureOf('authorize', stopped));
  }

  #renew(): Promise<TokenGrant> {
    return (this.#renewal ??= this.#authorize());
  }

  /** Forgets a refused token and records the refusal, if the token is still the current one. */
  #refused(accessToken: string): void {
    if (this.#grant?.accessToken !== accessToken) return;
    this.#grant = undefined;
    this.#gate.refused(tokenRefused(), this.#clock());
  }

  /** Records that the service accepted a call with this token, if the token is still the current one. */
  #accepted(accessToken: string): void {
    if (this.#grant?.accessToken === accessToken) this.#gate.succeeded('call');
  }

  /** Returns the token if it has not expired. */
  #heldGrant(): TokenGrant | undefined {
    return this.#grant !== undefined && this.#clock() < this.#grant.expiresAtMs ? this.#grant : undefined;
  }

  /**
   * True if it is time for a new token, and a failed renewal is not too recent. A token that lives less than twice `renewTokenAheadMs` is
   * renewed at half its life, not at every call.
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

/** The shortest wait after a failed renewal, while there is a valid token. */
const RENEW_AGAIN_MS = 5_000;

/**
 * Bounds how often the client asks for a token while the service refuses, because a client that keeps asking may be locked out. Times are
 * in milliseconds of one clock.
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

  /** Returns the reason why no token may be requested now, with the time until the next request; `undefined` if one may be made. */
  refusal(nowMs: number): ServiceFailure | undefined {
    if (this.#failure === undefined || nowMs >= this.#untilMs) return undefined;
    return { ...this.#failure, retryAfterMs: this.#untilMs - nowMs };
  }

  /** Records why a token request failed. */
  failed(failure: ServiceFailure, nowMs: number): void {
    this.#renewAtMs = nowMs + Math.max(RENEW_AGAIN_MS, failure.retryAfterMs ?? 0);
    if (failure.code === 'SERVICE_CREDENTIALS_REJECTED') this.refused(failure, nowMs);
  }

  /**
   * Records that the service refused the credentials, or a call with the current token. After the first refused token, a new one is
   * requested at once, because the token may have been revoked. Any other refusal begins a wait, which doubles with each refusal, up to
   * a minute.
   */
  refused(failure: ServiceFailure, nowMs: number): void {
    const isFirstToken = this.#refusals === 0 && failure.code === 'SERVICE_TOKEN_REJECTED';
    this.#refusals += 1;
    this.#failure = failure;
    if (isFirstToken) return;
    this.#untilMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#refusals - 1, 20), LONGEST_WAIT_MS);
  }

  /**
   * Records that the service granted a token, or accepted a call with it. A grant ends only a refusal of the credentials, and an accepted
   * call only a refusal of tokens.
   */
  succeeded(by: 'grant' | 'call'): void {
    if ((this.#failure?.code === 'SERVICE_TOKEN_REJECTED') !== (by === 'call')) return;
    this.#refusals = 0;
    this.#untilMs = -Infinity;
    this.#failure = undefined;
  }
}

/** An access token and its lifetime (contract A3). */
interface TokenGrant {
  readonly accessToken: string;
  readonly lifetimeMs: number;
  /** The time of its expiry, in milliseconds of the client's clock. */
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
 * Exchanges the client's credentials for a token (contract A1–A5), within a time of its own.
 * Throws `ServiceError`; wrong credentials are `SERVICE_CREDENTIALS_REJECTED`.
 */
async function authorize({ transport, config, redactor, tell }: AuthorizeContext): Promise<TokenGrant> {
  // The token's life counts from the request for it: the service may have issued it long before its answer arrived.
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
  // Read before it is redacted, since the service may issue an earlier token again.
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
