/** Counts requests that many callers make together: to refresh a session, and to wait until it is opened. */
import { givenBackMs, RELEASES_BEFORE_ERROR } from './back-off';

/**
 * The refreshes that callers have asked for. One poll serves all refreshes that were requested before the poll began.
 */
export class Refreshes {
  #asked = 0;
  #served = 0;
  #lastPollAtMs = 0;

  /** Asks for a refresh. Returns a function that returns true once a finished poll has served the request. */
  ask(): () => boolean {
    this.#asked += 1;
    const ticket = this.#asked;
    return () => this.#served >= ticket;
  }

  get pending(): boolean {
    return this.#asked > this.#served;
  }

  /**
   * Records that a poll begins at `nowMs`. Returns a function to call at the end of the poll. It serves all requests
   * that came before the poll began.
   */
  begin(nowMs: number): () => void {
    this.#lastPollAtMs = nowMs;
    const serves = this.#asked;
    return () => {
      this.#served = serves;
    };
  }

  /** Returns the earliest time at which the policy allows the next poll for a refresh, in epoch milliseconds. */
  notBeforeMs(spacingMs: number): number {
    return this.#lastPollAtMs + spacingMs;
  }
}

/** The pause after a worker has released a create. */
interface GivenBackPause {
  readonly milliseconds: number;
  /**
   * Returns true if the pause should end early. Only a long pause ends early, if a caller has asked for the session
   * since the pause began.
   */
  readonly isAsked: () => boolean;
}

/**
 * Counts two things: how often workers have released the create unsent because they lack the account's credentials, and
 * how often callers have asked for the session.
 *
 * After a caller's request, the workflow soon offers the create to workers again, because an operator may have fixed
 * the credentials. If workers then release the create `RELEASES_BEFORE_ERROR` times, the caller gets an error.
 */
export class Openings {
  #givenBack = 0;
  #sinceAsked = 0;
  #asked = 0;

  /**
   * Records that a caller asks for the session. Returns a function that returns true once workers have released the
   * create `RELEASES_BEFORE_ERROR` times since this call.
   */
  ask(): () => boolean {
    const before = this.#givenBack;
    this.#asked += 1;
    this.#sinceAsked = 0;
    return () => this.#givenBack - before >= RELEASES_BEFORE_ERROR;
  }

  /**
   * Records that a worker has released the create. Returns the pause before the next attempt. `random` is a number from
   * 0 to 1 that varies the pause.
   */
  giveBack(random: number): GivenBackPause {
    this.#givenBack += 1;
    this.#sinceAsked += 1;
    const before = this.#asked;
    const isMany = this.#sinceAsked >= RELEASES_BEFORE_ERROR;
    return {
      milliseconds: givenBackMs(this.#sinceAsked, random),
      // A caller never ends a short pause. Otherwise, many callers would leave no pause between attempts.
      isAsked: () => isMany && this.#asked > before,
    };
  }
}
