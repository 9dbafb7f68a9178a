import { createHash } from 'node:crypto';

/** The fields that an entry's hash covers. Times are ISO 8601, UTC, with milliseconds. */
export interface HashedEntry {
  readonly environment: string;
  readonly key: string;
  readonly number: number;
  readonly claim: number;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly recordedAt: string;
  /** JSON, as it is stored. */
  readonly body: string;
  /** The encrypted personal part, as it is stored; null if there is none. Null and empty have different hashes. */
  readonly sealed: Uint8Array | null;
  /** The hash of the key's previous entry. The first entry has the commitment to the session's own key (`session-key.ts`). */
  readonly previous: Uint8Array;
}

/** Distinguishes these hashes from hashes of other data. */
export const DOMAIN = 'paysession ledger entry 1';

/** The number of bytes that a field's length takes. */
const LENGTH_BYTES = 4;

/** Returns the SHA-256 of the entry's fields, each preceded by its length, so that no two entries have the same bytes. */
export function hashOf(entry: HashedEntry): Buffer {
  const { environment, key, number, claim, id, kind, at, recordedAt, body, sealed, previous } = entry;
  const fields = [
    ...[DOMAIN, environment, key, String(number), String(claim), id, kind, at, recordedAt, body],
    ...(sealed === null ? [] : [sealed]),
    previous,
  ];
  const lengths = fields.map((field) => Buffer.byteLength(field));
  // One buffer for all fields: a verification hashes millions of entries.
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
