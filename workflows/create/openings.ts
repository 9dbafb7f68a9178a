import { givenBackMs, TOLD_AFTER } from '../calls/back-off';

/** The pause after a create that was given back. */
export interface GivenBackPause {
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
