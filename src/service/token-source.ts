import { ServiceError } from '../errors';
import { CallStoppedError, type CallScope } from './call-scope';
import { failureOf } from './failures';

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

/** Holds the one token that all calls share, in memory only, and renews it before it expires. */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  #grant: TokenGrant | undefined;
  #renewal: Promise<TokenGrant> | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  /**
   * A token that is good for a while. Calls that need a new one at the same time share a single authorize, which goes
   * on for the others when one of them is stopped. Throws `ServiceError`.
   */
  async token(scope: CallScope): Promise<string> {
    if (this.#grant !== undefined && this.#isFresh(this.#grant)) return this.#grant.accessToken;
    const first = scope.signal.aborted
      ? await scope.stopped
      : await Promise.race([this.#renew(), scope.stopped]);
    if (!(first instanceof CallStoppedError)) return first.accessToken;
    const stopped = { kind: 'unanswered', sent: false, reason: first.code } as const;
    throw new ServiceError(failureOf('authorize', stopped, this.#options.now()));
  }

  /** Forgets a token that the service refused, unless another call has already replaced it. */
  drop(accessToken: string): void {
    if (this.#grant?.accessToken === accessToken) this.#grant = undefined;
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
    } finally {
      this.#renewal = undefined;
    }
  }
}
