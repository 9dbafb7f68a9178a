/** The most acts whose results are remembered: a form is sent again within minutes, if at all. */
const MAX_REMEMBERED = 1_000;

/**
 * What forms have done, by the id that goes with each: a form that comes again, while it is under way or after it, is answered
 * with what the first did, and does nothing.
 */
export class DoneOnce<T> {
  private readonly done = new Map<string, Promise<T>>();

  /** Does it, unless this id has. */
  once(id: string, act: () => Promise<T>): Promise<T> {
    const earlier = this.done.get(id);
    if (earlier !== undefined) return earlier;
    const result = act();
    this.done.set(id, result);
    // What was thrown has done nothing that anybody knows of: the form may try again.
    result.catch(() => this.done.delete(id));
    for (const oldest of this.done.keys()) {
      if (this.done.size <= MAX_REMEMBERED) break;
      this.done.delete(oldest);
    }
    return result;
  }

  /** What it did; `undefined` if nobody knows of it. */
  get(id: string): Promise<T> | undefined {
    return this.done.get(id);
  }
}
