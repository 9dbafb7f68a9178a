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
    const [first] = this.#ids;
    if (this.#ids.size > MOST && first !== undefined) this.#ids.delete(first);
  }

  delete(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.#ids.delete(sessionId);
  }
}
