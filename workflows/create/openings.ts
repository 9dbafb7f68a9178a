import { jittered } from '../../src/protocol/cadence';
import { backoffMs } from '../follow/cadence';

/**
 * So many creates in a row are given back before those who wait for the session are told. Of two workers with one that has the
 * credentials, it gets the create before that in all but one of 256 cases.
 */
const TOLD_AFTER = 8;
/** Until then the next worker is asked soon. */
const SOON_MS = 500;

/** How long to wait after a call was given back so many times in a row: the next worker may have the credentials. */
export const givenBackMs = (times: number, random: number): number =>
  times < TOLD_AFTER ? jittered(SOON_MS, random) : backoffMs(times - TOLD_AFTER + 1, random);

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
