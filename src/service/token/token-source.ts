import { explain, ServiceError, type ServiceFailure } from '../../errors';
import { authorize, type AuthorizeContext, type TokenGrant } from './authorize';
import { AuthorizeGate } from './authorize-gate';
import { CallStoppedError, type CallScope } from '../http/call-scope';
import { failureOf } from '../answers/failures';

/**
 * Holds the one token that all calls share, in memory only, and renews it before it expires. While the service refuses the
 * credentials, or each new token, it asks less and less often; calls in between fail at once, and nothing is sent.
 */
export class TokenSource {
  readonly #context: AuthorizeContext;
  readonly #now: () => number;
  readonly #gate = new AuthorizeGate();
  #grant: TokenGrant | undefined;
  #renewal: Promise<TokenGrant> | undefined;

  constructor(context: AuthorizeContext) {
    this.#context = context;
    this.#now = context.config.now;
  }

  /**
   * A token that is good for a while. Calls that need a new one at the same time share a single authorize, which goes
   * on for the others when one of them is stopped. Throws `ServiceError`: while the service refuses credentials or tokens,
   * with the same code and the time until the next authorize.
   */
  async token(scope: CallScope): Promise<string> {
    if (this.#grant !== undefined && this.#isFresh(this.#grant)) return this.#grant.accessToken;
    const refusal = this.#renewal === undefined ? this.#gate.refusal(this.#now()) : undefined;
    if (refusal !== undefined) throw new ServiceError(refusal);
    const first = scope.signal.aborted
      ? await scope.stopped
      : await Promise.race([this.#renew(), scope.stopped]);
    if (!(first instanceof CallStoppedError)) return first.accessToken;
    const stopped = { kind: 'unanswered', sent: false, reason: first.code } as const;
    throw new ServiceError(failureOf('authorize', stopped, this.#now()));
  }

  /** The service refused a call with this token: it is forgotten, unless another call has already replaced it. */
  refused(accessToken: string): void {
    if (this.#grant?.accessToken !== accessToken) return;
    this.#grant = undefined;
    this.#gate.refused(tokenRefused(), this.#now());
  }

  /** The service took a call with this token. */
  accepted(accessToken: string): void {
    if (this.#grant?.accessToken === accessToken) this.#gate.open();
  }

  /** A token that lives shorter than twice the time ahead is renewed at half its life, not at every call. */
  #isFresh({ expiresAtMs, lifetimeMs }: TokenGrant): boolean {
    const aheadMs = Math.min(this.#context.config.renewTokenAheadMs, lifetimeMs / 2);
    return this.#now() < expiresAtMs - aheadMs;
  }

  #renew(): Promise<TokenGrant> {
    this.#renewal ??= this.#authorize();
    return this.#renewal;
  }

  async #authorize(): Promise<TokenGrant> {
    try {
      this.#grant = await authorize(this.#context);
      return this.#grant;
    } catch (error) {
      const failure = error instanceof ServiceError ? error.failure : undefined;
      if (failure?.code === 'SERVICE_CREDENTIALS_REJECTED') this.#gate.refused(failure, this.#now());
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
