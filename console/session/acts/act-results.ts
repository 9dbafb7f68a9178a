import { dropOldest } from '../../../src/contract/values/drop-oldest';
import type { ActResult } from './perform';

/** The page that an act leads to is read at once. */
const MAX_REMEMBERED = 1_000;

/** What became of the latest acts, by the session and the id of the form, for the page that each leads to. */
export class ActResults {
  readonly #results = new Map<string, ActResult>();

  set(key: string, once: string, result: ActResult): void {
    this.#results.set(idOf(key, once), result);
    dropOldest(this.#results, MAX_REMEMBERED);
  }

  get(key: string, once: string): ActResult | undefined {
    return this.#results.get(idOf(key, once));
  }
}

const idOf = (key: string, once: string): string => `${once} ${key}`;
