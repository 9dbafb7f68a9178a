/** What callers ask of a session that many of them share: a refresh, and its opening. */
import { givenBackMs, TOLD_AFTER } from './back-off';

/** The refreshes that callers asked for: many of them share one poll. */
export class Refreshes {
  #asked = 0;
  #served = 0;
  #lastPollAtMs = 0;

  /** Asks for a refresh; the answer tells whether a finished poll has served it. */
  ask(): () => boolean {
    this.#asked += 1;
    const ticket = this.#asked;
    return () => this.#served >= ticket;
  }

  get pending(): boolean {
    return this.#asked > this.#served;
  }

  /** A poll begins at `nowMs`; gives what tells that it has ended: it serves all that was asked for before. */
  begin(nowMs: number): () => void {
    this.#lastPollAtMs = nowMs;
    const serves = this.#asked;
    return () => {
      this.#served = serves;
    };
  }

  /** When a refresh may poll again at the earliest, in epoch milliseconds. */
  notBeforeMs(spacingMs: number): number {
    return this.#lastPollAtMs + spacingMs;
  }
}

/** The pause after a create that was given back. */
interface GivenBackPause {
  readonly milliseconds: number;
  /** Whether somebody has asked for the session meanwhile: then it need not be waited out. */
  readonly isAsked: () => boolean;
}

/**
 * The creates that workers gave back, and the callers who wait for the session: whoever asks has workers asked soon again, since
 * the credentials may have been mended, and is told once enough of them have given the create back.
 */
export class Openings {
  #givenBack = 0;
  #sinceAsked = 0;
  #asked = 0;

  /** Somebody asks for the session. Gives whether the answer is by now that no worker can open it. */
  ask(): () => boolean {
    const before = this.#givenBack;
    this.#asked += 1;
    this.#sinceAsked = 0;
    return () => this.#givenBack - before >= TOLD_AFTER;
  }

  /** A worker gave a create back. `random`: 0 to 1, for the jitter. */
  giveBack(random: number): GivenBackPause {
    this.#givenBack += 1;
    this.#sinceAsked += 1;
    const before = this.#asked;
    const isMany = this.#sinceAsked >= TOLD_AFTER;
    return {
      milliseconds: givenBackMs(this.#sinceAsked, random),
      // However many ask, there is a pause before workers are asked again.
      isAsked: () => isMany && this.#asked > before,
    };
  }
}
