import { createHash } from 'node:crypto';

/**
 * The hash of a ledger entry. Each hash covers the hash of the key's previous entry, so the entries of a key form a chain.
 */

/** The fields that an entry's hash covers. Times are in ISO 8601, UTC, with milliseconds. */
export interface HashedEntry {
  readonly environment: string;
  readonly key: string;
  readonly number: number;
  readonly claim: number;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly recordedAt: string;
  /** The JSON of the fact, exactly as it is stored. */
  readonly body: string;
  /** The encrypted personal data, exactly as stored, or null if the entry has none. Null and an empty array lead to different hashes. */
  readonly sealed: Uint8Array | null;
  /** The hash of the key's previous entry. In the first entry, a commitment to the session's encryption key (`session-key.ts`). */
  readonly previous: Uint8Array;
}

/** A prefix of the hashed data, which distinguishes these hashes from hashes of other data. */
export const DOMAIN = 'paysession ledger entry 1';

/** The number of bytes in which the length of a field is written. */
const LENGTH_BYTES = 4;

/** Returns the SHA-256 hash of an entry's fields. Each field is preceded by its length, so that different entries never have the same bytes. */
export function hashOf(entry: HashedEntry): Buffer {
  const { environment, key, number, claim, id, kind, at, recordedAt, body, sealed, previous } = entry;
  const fields = [
    ...[DOMAIN, environment, key, String(number), String(claim), id, kind, at, recordedAt, body],
    ...(sealed === null ? [] : [sealed]),
    previous,
  ];
  const lengths = fields.map((field) => Buffer.byteLength(field));
  // All fields are written to one buffer, which is faster. A verification hashes millions of entries.
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, 0));
  let end = 0;
  for (const [index, field] of fields.entries()) {
    const length = lengths[index] ?? 0;
    end = bytes.writeUInt32BE(length, end);
    if (typeof field === 'string') bytes.write(field, end);
    else bytes.set(field, end);
    end += length;
  }
  return createHash('sha256').update(bytes).digest();
}
