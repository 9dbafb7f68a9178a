/** Where a text stops being JSON. The engine's own message depends on its version, and quotes the text. */
export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** What would have to be there, in words. */
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const ATOM = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Where `JSON.parse` fails; `undefined` for JSON. Does not recurse, so that no nesting is too deep for it. */
export function jsonFault(text: string): JsonFault | undefined {
  const reader = new Reader(text);
  const open: ('{' | '[')[] = [];
  let wants: 'value' | 'name' | 'next' = 'value';
  /** Only an object or a list that has just begun may end without a member. */
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

/** Reads a text from its beginning. */
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

/** `line 3, column 7: "," or "}" is expected`; empty where the text is JSON. */
export function whereNoJson(text: string): string {
  const fault = jsonFault(text);
  return fault === undefined
    ? ''
    : `line ${fault.line}, column ${fault.column}: ${fault.expected} is expected`;
}
