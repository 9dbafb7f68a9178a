const HASH_BYTES = 32;
const NUMBER_BYTES = 4;
const ENTRY_BYTES = NUMBER_BYTES + HASH_BYTES;
const AT_FIRST = 1_024;

/** Number and hash of each session's last entry, side by side in one buffer: of millions, as many objects would take several times that. */
export class LastEntries {
  /** Where each session's stands, by its name. */
  readonly #places = new Map<string, number>();
  #bytes = Buffer.alloc(AT_FIRST * ENTRY_BYTES);

  /** Whether an entry with this number, and this hash before it, is the session's next one. The first has a hash of the session's own key there. */
  isFollowedBy(session: string, number: number, previous: Uint8Array): boolean {
    const place = this.#places.get(session);
    if (place === undefined) return number === 1 && previous.length === HASH_BYTES;
    const at = place * ENTRY_BYTES;
    if (number !== this.#bytes.readUInt32BE(at) + 1) return false;
    return this.#bytes.subarray(at + NUMBER_BYTES, at + ENTRY_BYTES).equals(previous);
  }

  /** @param hash 32 bytes */
  set(session: string, number: number, hash: Uint8Array): void {
    const place = this.#places.get(session) ?? this.#places.size;
    this.#places.set(session, place);
    const at = place * ENTRY_BYTES;
    if (at === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(at)]);
    this.#bytes.writeUInt32BE(number, at);
    this.#bytes.set(hash, at + NUMBER_BYTES);
  }
}
