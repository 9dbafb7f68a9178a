import { dropOldest } from '../../contract/values/drop-oldest';

/** Beyond this many, the oldest are forgotten. */
const MOST = 10_000;

/** The sessions whose last call got no answer in time, bounded in number. */
export class HungSessions {
  readonly #ids = new Set<string>();

  has(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#ids.has(sessionId);
  }

  add(sessionId: string | undefined): void {
    if (sessionId === undefined) return;
    this.#ids.delete(sessionId);
    this.#ids.add(sessionId);
    dropOldest(this.#ids, MOST);
  }

  delete(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.#ids.delete(sessionId);
  }
}
