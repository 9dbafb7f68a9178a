/** A list that forgets its oldest entries beyond a maximum. */
export class BoundedList<Entry> {
  readonly #entries: Entry[] = [];

  constructor(readonly maximum: number) {}

  push(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.maximum) this.#entries.shift();
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** A copy, oldest first. */
  all(): readonly Entry[] {
    return [...this.#entries];
  }
}
