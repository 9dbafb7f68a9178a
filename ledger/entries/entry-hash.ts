import { createHash } from 'node:crypto';

/** What an entry's hash covers. Times are ISO 8601, UTC, with milliseconds. */
export interface HashedEntry {
  readonly environment: string;
  readonly key: string;
  readonly number: number;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly recordedAt: string;
  /** JSON, as it is stored. */
  readonly body: string;
  /** The encrypted personal part, as it is stored. */
  readonly sealed: Uint8Array | null;
  /** The hash of the session's entry before; empty for the first. */
  readonly previous: Uint8Array;
}

/** Tells these hashes from those of anything else. */
const DOMAIN = 'paysession ledger entry 1';

/** SHA-256 over the entry's fields, each after its length, so that no two entries give the same bytes. */
export function hashOf(entry: HashedEntry): Buffer {
  const { environment, key, number, id, kind, at, recordedAt, body, sealed, previous } = entry;
  const hash = createHash('sha256');
  const texts = [DOMAIN, environment, key, String(number), id, kind, at, recordedAt, body];
  const fields = [...texts.map((text) => Buffer.from(text)), sealed ?? Buffer.alloc(0), previous];
  for (const field of fields) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    hash.update(length).update(field);
  }
  return hash.digest();
}
