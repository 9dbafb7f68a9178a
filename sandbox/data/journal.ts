import { DataFolder } from './data-folder';

/**
 * What is to outlast the process. Changes are collected and written together, so that any number of calls share one wait
 * for the disk; what changes within one turn of the event loop is written as a whole or not at all. Without a folder it
 * keeps nothing.
 */
export class Journal {
  readonly #path: string | undefined;
  #folder: DataFolder | undefined;
  #pending = new Map<string, { readonly value?: unknown }>();
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param path the data folder */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** What the folder holds, with what changed while it was closed; `undefined` without a folder. */
  async open(): Promise<ReadonlyMap<string, unknown> | undefined> {
    if (this.#path === undefined) return undefined;
    this.#folder = await DataFolder.open(this.#path);
    const entries = new Map(this.#folder.entries);
    for (const [key, { value }] of this.#pending) {
      if (value === undefined) entries.delete(key);
      else entries.set(key, value);
    }
    return entries;
  }

  put(key: string, value: unknown): void {
    this.#change(key, { value });
  }

  remove(key: string): void {
    this.#change(key, {});
  }

  /** Settles once every change made so far is on disk; rejects when it cannot be written, and tries again when asked again. */
  flushed(): Promise<void> {
    if (this.#folder === undefined) return Promise.resolve();
    const writing = this.#writing ?? Promise.resolve();
    if (this.#pending.size === 0) return writing;
    this.#next ??= writing.catch(() => undefined).then(() => this.#write());
    return this.#next;
  }

  async close(): Promise<void> {
    try {
      await this.flushed();
    } finally {
      const folder = this.#folder;
      this.#folder = undefined;
      await folder?.close();
    }
  }

  #change(key: string, change: { readonly value?: unknown }): void {
    if (this.#path === undefined) return;
    if (this.#pending.size === 0) {
      // Nobody may ask for it: what the program did itself, such as playing the payor, has no answer that waits.
      setImmediate(() => void this.flushed().catch(() => undefined));
    }
    this.#pending.set(key, change);
  }

  #write(): Promise<void> {
    const changes = this.#pending;
    this.#pending = new Map();
    this.#next = undefined;
    const writing = this.#save(changes).finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    this.#writing = writing;
    return writing;
  }

  async #save(changes: Map<string, { readonly value?: unknown }>): Promise<void> {
    const keep = () => {
      this.#pending = new Map([...changes, ...this.#pending]);
    };
    // Closed in the meantime: the next folder that is opened gets them.
    if (this.#folder === undefined) keep();
    else
      await this.#folder.write(changes).catch((error: unknown) => {
        keep();
        throw error;
      });
  }
}
