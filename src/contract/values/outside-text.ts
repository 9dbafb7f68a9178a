/**
 * The error for bytes that are not UTF-8. The message continues the name of the bytes' source: "accounts.json is not UTF-8 in line
 * 3".
 */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';
}

/** If one of this many first bytes is NUL, the text is taken to be UTF-16. */
const BEGINNING = 4;
const LINE_BREAK = 0x0a;

/**
 * Reads UTF-8 that arrives in pieces. Throws for invalid UTF-8, whereas `TextDecoder` and `toString` by default replace invalid bytes
 * by the character U+FFFD. Leaves out a byte order mark.
 */
export class Utf8Reader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #line = 1;
  #length = 0;

  /**
   * Returns the text of the next bytes. If the bytes end within a character, a later call returns that character. Throws
   * `NotUtf8Error`.
   */
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
      // The bytes of UTF-16's byte order mark do not occur in UTF-8.
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

/**
 * Removes one final line break from a setting or a secret. `echo` and editors add such a line break to a file, and
 * `kubectl create secret --from-file` keeps it. Spaces stay, because they may belong to a secret.
 */
export const withoutLineBreak = (text: string): string => text.replace(/\r?\n$/, '');

/**
 * Returns what is wrong with a setting or secret, or `undefined`. Control characters are refused, because headers and URLs silently
 * drop or refuse them. `hasLines` allows line breaks, as in a certificate. The message never contains the text.
 */
export function settingFault(text: string, hasLines = false): string | undefined {
  if (text.includes('\ufffd')) return 'is not UTF-8';
  if (hasLines)
    return /[^\P{Cc}\r\n]/u.test(text)
      ? 'must not contain control characters other than line breaks'
      : undefined;
  return /\p{Cc}/u.test(text)
    ? 'must not contain control characters, such as a line break or a tab'
    : undefined;
}

/**
 * The first place where a text is not JSON. The JavaScript engine's own message is not used, because it quotes the text, which may be
 * a secret.
 */
interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** The text that is expected at this place, such as `a value`. */
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const ATOM = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/**
 * Returns the first place where a text is not JSON; `undefined` if the text is JSON. For a malformed string or number, returns the
 * place where it begins. Does not recurse, so any depth of nesting is safe.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const reader = new Reader(text);
  const open: ('{' | '[')[] = [];
  let wants: 'value' | 'name' | 'next' = 'value';
  /** True right after an opening bracket, when the closing bracket may follow. */
  let isEmpty = false;
  for (;;) {
    reader.skipSpace();
    const within = open.at(-1);
    if (wants === 'next' && within === undefined)
      return reader.isAtEnd ? undefined : reader.fault('the end of the text');
    const closing = within === '{' ? '}' : ']';
    if (within !== undefined && (wants === 'next' || isEmpty) && reader.takes(closing)) {
      open.pop();
      [wants, isEmpty] = ['next', false];
    } else if (wants === 'next') {
      if (!reader.takes(',')) return reader.fault(`"," or "${closing}"`);
      wants = within === '{' ? 'name' : 'value';
    } else if (wants === 'name') {
      if (!reader.matches(STRING)) return reader.fault('a name in double quotes');
      reader.skipSpace();
      if (!reader.takes(':')) return reader.fault('":"');
      [wants, isEmpty] = ['value', false];
    } else if (reader.takes('{')) {
      open.push('{');
      [wants, isEmpty] = ['name', true];
    } else if (reader.takes('[')) {
      open.push('[');
      [wants, isEmpty] = ['value', true];
    } else {
      if (!reader.matches(STRING) && !reader.matches(ATOM)) return reader.fault('a value');
      [wants, isEmpty] = ['next', false];
    }
  }
}

/** Reads a text from its beginning, token by token. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  skipSpace(): void {
    this.matches(SPACE);
  }

  takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const isMatch = pattern.test(this.#text);
    if (isMatch) this.#at = pattern.lastIndex;
    return isMatch;
  }

  fault(expected: string): JsonFault {
    const lines = this.#text.slice(0, this.#at).split('\n');
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, expected };
  }
}

/**
 * Describes the first place where a text is not JSON, such as `line 3, column 7: "," or "}" is expected`. Returns an empty text for
 * JSON.
 */
export function whereNoJson(text: string): string {
  const fault = jsonFault(text);
  return fault === undefined
    ? ''
    : `line ${fault.line}, column ${fault.column}: ${fault.expected} is expected`;
}
