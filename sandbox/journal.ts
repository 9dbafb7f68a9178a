import { DataFolder, type Changes } from './data-folder';

/** One store's part of the journal, which keeps the sandbox's records on disk: the records of one kind, by id. */
export interface Drawer<Value> {
  put(id: string, value: Value): void;
  remove(id: string): void;
}

/**
 * Fills a store with its records from the data folder. The shape of the records is not checked, because their checksums and the folder's
 * version show that this code has written them.
 */
export type Restore<Value> = (records: ReadonlyMap<string, Value>) => void;

/**
 * Records that outlast the process. Changes are collected and written together, so that any number of calls share one wait for the disk.
 * Changes that are made without an `await` between them are written as a whole or not at all. Without a folder, the journal keeps nothing.
 */
export class Journal {
  readonly #path: string | undefined;
  readonly #drawers: { readonly prefix: string; readonly restore: Restore<unknown> }[] = [];
  #folder: DataFolder | undefined;
  #pending = new Map<string, { readonly value?: unknown }>();
  #isScheduled = false;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param path the data folder */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  /**
   * Returns a drawer for the records of one store. The keys of these records begin with the prefix. Calls `restore` with the records each
   * time the folder is opened.
   */
  drawer<Value>(prefix: string, restore: Restore<Value>): Drawer<Value> {
    this.#drawers.push({ prefix, restore: restore as Restore<unknown> });
    return {
      put: (id, value) => {
        this.#change(prefix + id, { value });
      },
      remove: (id) => {
        this.#change(prefix + id, {});
      },
    };
  }

  /** Returns a single record, stored under the key itself. Calls `restore` with its value each time the folder is opened. */
  record<Value>(key: string, restore: (value: Value | undefined) => void): { put(value: Value): void } {
    const drawer = this.drawer<Value>(key, (records) => {
      restore(records.get(''));
    });
    return {
      put: (value) => {
        drawer.put('', value);
      },
    };
  }

  /** Opens the folder, if there is one, and restores the store of each drawer, in the order in which the drawers were made. */
  async open(): Promise<void> {
    if (this.#path === undefined) return;
    this.#folder = await DataFolder.open(this.#path);
    const records = afterwards(this.#folder.entries, this.#pending);
    for (const { prefix, restore } of this.#drawers) restore(under(prefix, records));
  }

  /**
   * Resolves once every change made so far is on disk. Resolves at once if no folder is open. Rejects if a change cannot be written. The
   * next call tries to write it again.
   */
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
    this.#pending.set(key, change);
    // Schedules the write. A change that no request makes, such as a call of `act`, has no response that waits for `flushed`.
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.flushed().catch(() => undefined);
    });
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
    // If the folder was closed in the meantime, the changes wait until it is opened again.
    if (this.#folder === undefined) keep();
    else
      await this.#folder.write(changes).catch((error: unknown) => {
        keep();
        throw error;
      });
  }
}

/** Returns the folder's records with the changes that were made while it was closed. */
function afterwards(entries: ReadonlyMap<string, unknown>, changes: Changes): ReadonlyMap<string, unknown> {
  const records = new Map(entries);
  for (const [key, { value }] of changes) {
    if (value === undefined) records.delete(key);
    else records.set(key, value);
  }
  return records;
}

/** Returns the records of a drawer, by their keys without the prefix. */
function under(prefix: string, records: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const found = [...records].filter(([key]) => key.startsWith(prefix));
  return new Map(found.map(([key, value]) => [key.slice(prefix.length), value]));
}
