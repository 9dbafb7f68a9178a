import type { ServiceFailure } from '../../errors';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Bounds how often the service is asked for a token while it refuses: a client that goes on asking may be locked out. Times
 * are in milliseconds of one clock.
 */
export class AuthorizeGate {
  #refusals = 0;
  #untilMs = -Infinity;
  #failure: ServiceFailure | undefined;

  /** Why no authorize may be made now, with the time until one may; `undefined` when it may. */
  refusal(nowMs: number): ServiceFailure | undefined {
    if (this.#failure === undefined || nowMs >= this.#untilMs) return undefined;
    return { ...this.#failure, retryAfterMs: this.#untilMs - nowMs };
  }

  /**
   * The service refused the credentials, or a call with the current token. One token that is refused is renewed at once: it
   * may have been revoked. Every further refusal doubles the wait, until a token is accepted.
   */
  refused(failure: ServiceFailure, nowMs: number): void {
    const isFirstToken = this.#refusals === 0 && failure.code === 'SERVICE_TOKEN_REJECTED';
    this.#refusals += 1;
    this.#failure = failure;
    if (isFirstToken) return;
    this.#untilMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#refusals - 1, 20), LONGEST_WAIT_MS);
  }

  /** The service accepted a call with the current token. */
  open(): void {
    this.#refusals = 0;
    this.#untilMs = -Infinity;
    this.#failure = undefined;
  }
}
