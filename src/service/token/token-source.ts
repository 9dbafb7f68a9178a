import { explain, ServiceError, type ServiceFailure } from '../../errors';
import { AuthorizeGate } from './authorize-gate';
import { CallStoppedError, type CallScope } from '../http/call-scope';
import { failureOf } from '../answers/failures';

/** An access token and how long it lives (contract A3). */
export interface TokenGrant {
  readonly accessToken: string;
  readonly lifetimeMs: number;
  /** Milliseconds since the epoch, by the injected clock. */
  readonly expiresAtMs: number;
}

export interface TokenSourceOptions {
  /** Gets a new token; throws `ServiceError`. */
  readonly authorize: () => Promise<TokenGrant>;
  readonly now: () => number;
  readonly renewAheadMs: number;
}

/**
 * Holds the one token that all calls share, in memory only, and renews it before it expires. While the service refuses the
 * credentials, or each new token, it asks less and less often; calls in between fail at once, and nothing is sent.
 */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  readonly #gate = new AuthorizeGate();
  #grant: TokenGrant | undefined;
  #renewal: Promise<TokenGrant> | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  /**
   * A token that is good for a while. Calls that need a new one at the same time share a single authorize, which goes
   * on for the others when one of them is stopped. Throws `ServiceError`: while the service refuses credentials or tokens,
   * with the same code and the time until the next authorize.
   */
  async token(scope: CallScope): Promise<string> {
    if (this.#grant !== undefined && this.#isFresh(this.#grant)) return this.#grant.accessToken;
    const refusal = this.#renewal === undefined ? this.#gate.refusal(this.#options.now()) : undefined;
    if (refusal !== undefined) throw new ServiceError(refusal);
    const first = scope.signal.aborted
      ? await scope.stopped
      : await Promise.race([this.#renew(), scope.stopped]);
    if (!(first instanceof CallStoppedError)) return first.accessToken;
    const stopped = { kind: 'unanswered', sent: false, reason: first.code } as const;
    throw new ServiceError(failureOf('authorize', stopped, this.#options.now()));
  }

  /** The service refused a call with this token: it is forgotten, unless another call has already replaced it. */
  refused(accessToken: string): void {
    if (this.#grant?.accessToken !== accessToken) return;
    this.#grant = undefined;
    this.#gate.refused(tokenRefused(), this.#options.now());
  }

  /** The service took a call with this token. */
  accepted(accessToken: string): void {
    if (this.#grant?.accessToken === accessToken) this.#gate.open();
  }

  /** A token that lives shorter than twice the time ahead is renewed at half its life, not at every call. */
  #isFresh({ expiresAtMs, lifetimeMs }: TokenGrant): boolean {
    const aheadMs = Math.min(this.#options.renewAheadMs, lifetimeMs / 2);
    return this.#options.now() < expiresAtMs - aheadMs;
  }

  #renew(): Promise<TokenGrant> {
    this.#renewal ??= this.#authorize();
    return this.#renewal;
  }

  async #authorize(): Promise<TokenGrant> {
    try {
      this.#grant = await this.#options.authorize();
      return this.#grant;
    } catch (error) {
      const failure = error instanceof ServiceError ? error.failure : undefined;
      if (failure?.code === 'SERVICE_CREDENTIALS_REJECTED') this.#gate.refused(failure, this.#options.now());
      throw error;
    } finally {
      this.#renewal = undefined;
    }
  }
}

function tokenRefused(): ServiceFailure {
  const code = 'SERVICE_TOKEN_REJECTED';
  return { code, message: explain(code), status: 401 };
}
