import type { ClassicLevel } from 'classic-level';
import {
  droppedWrites,
  inspectFolder,
  keepToOwner,
  markFolder,
  damagedFolder,
  folderInUse,
  foreignFolder,
  otherVersion,
  unreadableFolder,
} from './folder-files';
import { crc32 } from 'node:zlib';
import { systemCode, needOptionalPackages } from '../src/files';

/** Changes by key. A change without a value removes its key. */
export type Changes = ReadonlyMap<string, { readonly value?: unknown }>;

type Store = ClassicLevel;

/** The version of the stored data's shape. It is increased when the shape changes. */
const VERSION = 1;

const BALANCE = 'balance';
/**
 * The key that marks a store that has lost data. The store's own log reports the loss only once, so the mark keeps the report for later openings.
 */
const DAMAGED = 'damaged';

interface StoredBalance extends Balance {
  readonly version: number;
}

/** A folder on disk, open to this process only. A write makes all of its changes or none. */
export class DataFolder {
  readonly #store: Store;
  readonly #tally: Tally;
  /** The records that the folder held when it was opened. */
  readonly entries: ReadonlyMap<string, unknown>;

  readonly #path: string;

  private constructor(
    path: string,
    { store, tally, entries }: { store: Store; tally: Tally; entries: ReadonlyMap<string, unknown> },
  ) {
    this.#path = path;
    this.#store = store;
    this.#tally = tally;
    this.entries = entries;
  }

  /**
   * Opens the folder, or creates it.
   *
   * @throws {@link PaysessionError} `FOLDER_IN_USE` if another sandbox has the folder open, `INVALID_FILE` if the folder is damaged,
   * unreadable, of another version or of another program
   * @throws `MissingPackagesError` if `classic-level` is not installed
   */
  static async open(path: string): Promise<DataFolder> {
    needOptionalPackages('A sandbox with a data folder', ['classic-level']);
    const { isMarked } = await inspectFolder(path);
    await keepToOwner(path);
    const store = await openStore(path);
    try {
      if (await droppedWrites(path)) await store.put(DAMAGED, '', { sync: true });
      const { tally, entries } = await readAll(store, path, isMarked);
      const folder = new DataFolder(path, { store, tally, entries });
      if (!isMarked) {
        await folder.write(new Map());
        await markFolder(path);
      }
      await keepToOwner(path);
      return folder;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Resolves once the changes are on disk. */
  async write(changes: Changes): Promise<void> {
    const operations = [...changes].map(([key, { value }]) => {
      if (value !== undefined) return this.#put(key, value);
      this.#tally.remove(key);
      return { type: 'del', key } as const;
    });
    const balance: StoredBalance = { version: VERSION, ...this.#tally.balance() };
    const sealed = seal(BALANCE, { writeNumber: 0, value: balance });
    await this.#store.batch([...operations, { type: 'put', key: BALANCE, value: sealed }], { sync: true });
  }

  #put(key: string, value: unknown) {
    const writeNumber = this.#tally.put(key);
    return { type: 'put', key, value: seal(key, { writeNumber, value }) } as const;
  }

  async close(): Promise<void> {
    await this.#store.close();
    await keepToOwner(this.#path).catch(() => undefined);
  }
}

async function openStore(path: string): Promise<Store> {
  // Loaded here, because it is native code, which a sandbox without a folder does not need.
  const { ClassicLevel } = await import('classic-level');
  const store = new ClassicLevel(path);
  try {
    await store.open();
    return store;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = systemCode(cause);
    if (code === 'LEVEL_LOCKED') throw folderInUse(path, error);
    if (code?.startsWith('LEVEL_') === true) throw damagedFolder(path, 'its store cannot be read', error);
    throw unreadableFolder(path, cause);
  }
}

async function readAll(store: Store, path: string, isMarked: boolean) {
  const tally = new Tally();
  const entries = new Map<string, unknown>();
  let balance: StoredBalance | undefined;
  for (const [key, text] of await allTexts(store, path)) {
    if (key === DAMAGED) throw damagedFolder(path, 'something that was written is lost');
    const record = unseal(key, text);
    if (record === undefined) {
      throw isMarked
        ? damagedFolder(path, 'something in it is not what was written')
        : foreignFolder(path, 'the database of another program');
    }
    if (key === BALANCE) {
      balance = record.value as StoredBalance;
      continue;
    }
    tally.found(key, record.writeNumber);
    entries.set(key, record.value);
  }
  if (balance !== undefined && balance.version !== VERSION) throw otherVersion(path);
  const { records, sum } = tally.balance();
  const isWhole =
    balance === undefined ? !isMarked && records === 0 : balance.records === records && balance.sum === sum;
  if (!isWhole) throw damagedFolder(path, 'something that was written is lost');
  return { tally, entries };
}

async function allTexts(store: Store, path: string): Promise<readonly (readonly [string, string])[]> {
  try {
    return await store.iterator().all();
  } catch (error) {
    throw damagedFolder(path, 'its store cannot be read', error);
  }
}

/** A stored value, with the number of the write that stored it. */
interface StoredRecord {
  readonly writeNumber: number;
  readonly value: unknown;
}

/** Returns the text of a record. Its checksum covers the key, too, because the store does not check the data that it reads. */
export function seal(key: string, { writeNumber, value }: StoredRecord): string {
  const json = JSON.stringify([writeNumber, value]);
  return `${checksum(key, json)} ${json}`;
}

/** Returns the record of a text; `undefined` if it is damaged. */
function unseal(key: string, text: string): StoredRecord | undefined {
  const space = text.indexOf(' ');
  const json = text.slice(space + 1);
  if (text.slice(0, Math.max(0, space)) !== checksum(key, json)) return undefined;
  const [writeNumber, value] = JSON.parse(json) as [number, unknown];
  return { writeNumber, value };
}

const checksum = (key: string, json: string): string => crc32(`${key}\n${json}`).toString(16);

/**
 * The number of the folder's records, and the sum of their write numbers. If a record is lost or outdated, they differ from the stored
 * balance.
 */
interface Balance {
  readonly records: number;
  readonly sum: number;
}

/** Computes the balance of the records. Each write stores the balance. When the folder is opened, the records must match it. */
class Tally {
  readonly #numbers = new Map<string, number>();
  #sum = 0;
  #last = 0;

  /** Counts a record that was read. */
  found(key: string, writeNumber: number): void {
    this.#sum += writeNumber - (this.#numbers.get(key) ?? 0);
    this.#numbers.set(key, writeNumber);
    this.#last = Math.max(this.#last, writeNumber);
  }

  /** Counts a record that is to be written, and returns its write number. */
  put(key: string): number {
    this.found(key, this.#last + 1);
    return this.#last;
  }

  remove(key: string): void {
    this.#sum -= this.#numbers.get(key) ?? 0;
    this.#numbers.delete(key);
  }

  balance(): Balance {
    return { records: this.#numbers.size, sum: this.#sum };
  }
}
