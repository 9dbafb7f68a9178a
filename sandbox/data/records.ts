import { crc32 } from 'node:zlib';

/** A value as it is stored: with the number of the write that stored it. */
export interface StoredRecord {
  readonly writeNumber: number;
  readonly value: unknown;
}

/** The text of a record. Its checksum covers the key, too, because the store checks nothing of what it reads. */
export function seal(key: string, { writeNumber, value }: StoredRecord): string {
  const json = JSON.stringify([writeNumber, value]);
  return `${checksum(key, json)} ${json}`;
}

/** The record of a text; `undefined` when it is damaged. */
export function unseal(key: string, text: string): StoredRecord | undefined {
  const space = text.indexOf(' ');
  const json = text.slice(space + 1);
  if (text.slice(0, Math.max(0, space)) !== checksum(key, json)) return undefined;
  const [writeNumber, value] = JSON.parse(json) as [number, unknown];
  return { writeNumber, value };
}

const checksum = (key: string, json: string): string => crc32(`${key}\n${json}`).toString(16);

/** What a folder holds, in two numbers that change when any record is lost or is an older one. */
export interface Balance {
  readonly records: number;
  readonly sum: number;
}

/** Keeps the balance: it is stored with each write, and must be that of the records when they are read. */
export class Ledger {
  readonly #numbers = new Map<string, number>();
  #sum = 0;
  #last = 0;

  /** Counts a record that was read. */
  found(key: string, writeNumber: number): void {
    this.#sum += writeNumber - (this.#numbers.get(key) ?? 0);
    this.#numbers.set(key, writeNumber);
    this.#last = Math.max(this.#last, writeNumber);
  }

  /** Counts a record that is to be written, and gives its write number. */
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
