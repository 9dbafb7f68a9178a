/** Requests that many callers share: to refresh a session, and to open it. */
import { givenBackMs, TOLD_AFTER } from './back-off';

/** The refreshes that callers asked for. Many of them share one poll. */
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

  /** Begins a poll at `nowMs`. Returns a function that ends it, and so serves the requests that came before it began. */
  begin(nowMs: number): () => void {
    this.#lastPollAtMs = nowMs;
    const serves = this.#asked;
    return () => {
      this.#served = serves;
    };
  }

  /** Returns the earliest time of the next poll for a refresh, by the policy's spacing; epoch milliseconds. */
  notBeforeMs(spacingMs: number): number {
    return this.#lastPollAtMs + spacingMs;
  }
}

/** The pause after a worker released a create. */
interface GivenBackPause {
  readonly milliseconds: number;
  /** True if the pause may end early: it is long, and a caller has asked for the session since it began. */
  readonly isAsked: () => boolean;
}

/**
 * Counts the creates that workers released unsent because they lack the account's credentials, and the callers who asked
 * for the session.
 *
 * A caller's request makes the workflow ask workers again soon, since an operator may have fixed the credentials. The
 * caller gets an error once workers have released the create `TOLD_AFTER` times since the request.
 */
export class Openings {
  #givenBack = 0;
  #sinceAsked = 0;
  #asked = 0;

  /**
   * Asks for the session. Returns a function that returns true once workers have released the create `TOLD_AFTER` times
   * since.
   */
  ask(): () => boolean {
    const before = this.#givenBack;
    this.#asked += 1;
    this.#sinceAsked = 0;
    return () => this.#givenBack - before >= TOLD_AFTER;
  }

  /** Records that a worker released a create, and returns the pause that follows. `random`: 0 to 1, for the jitter. */
  giveBack(random: number): GivenBackPause {
    this.#givenBack += 1;
    this.#sinceAsked += 1;
    const before = this.#asked;
    const isMany = this.#sinceAsked >= TOLD_AFTER;
    return {
      milliseconds: givenBackMs(this.#sinceAsked, random),
      // No caller ends a short pause: otherwise many callers would leave no pause between creates.
      isAsked: () => isMany && this.#asked > before,
    };
  }
}
