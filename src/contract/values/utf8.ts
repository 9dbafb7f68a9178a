/** Bytes that are not UTF-8. The message is to be read after what they are of: "… is not UTF-8 in line 3". */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';
}

/** A NUL among so many bytes is half of the first or second character of UTF-16 that has no byte order mark. */
const BEGINNING = 4;
const LINE_BREAK = 0x0a;

/**
 * Reads UTF-8 that comes in pieces. `TextDecoder` and `toString` make U+FFFD of what is not UTF-8, which then goes on as if somebody had
 * written it. A byte order mark is left out.
 */
export class Utf8Reader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #line = 1;
  #length = 0;

  /** The text of the next bytes; a character that they cut comes with the next ones. Throws `NotUtf8Error`. */
  take(bytes: Uint8Array): string {
    if (bytes.subarray(0, Math.max(0, BEGINNING - this.#length)).includes(0)) throw utf16();
    let text = '';
    for (let from = 0; from < bytes.length;) {
      const to = bytes.indexOf(LINE_BREAK, from) + 1 || bytes.length;
      text += this.#decode(bytes.subarray(from, to));
      if (bytes[to - 1] === LINE_BREAK) this.#line += 1;
      this.#length += to - from;
      from = to;
    }
    return text;
  }

  /** Throws `NotUtf8Error` if the bytes end within a character. */
  end(): void {
    this.#decode();
  }

  #decode(bytes?: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      // Its byte order mark: UTF-8 has no such bytes.
      throw this.#length < 2 && bytes !== undefined && [0xfe, 0xff].includes(bytes[0] ?? 0)
        ? utf16()
        : new NotUtf8Error(`is not UTF-8 in line ${this.#line}`);
    }
  }
}

const utf16 = (): NotUtf8Error => new NotUtf8Error('is UTF-16, not UTF-8');

/** Reads UTF-8 as `Utf8Reader` does. Throws `NotUtf8Error`. */
export function decodeUtf8(bytes: Uint8Array): string {
  const reader = new Utf8Reader();
  const text = reader.take(bytes);
  reader.end();
  return text;
}
