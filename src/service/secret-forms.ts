/** One way in which a secret may be written, such as base64, in normalised characters (see `normalised`). */
export interface Form {
  readonly text: string;
  /** The shortest beginning of the form that is also found, because the service may echo only a part of the secret. */
  readonly head: string;
  /** The shortest end of the form that is also found. */
  readonly tail: string;
  /** The number of characters before the form that also reveal a part of the secret. */
  readonly before?: number;
  /** The number of characters after the form that also reveal a part of the secret. */
  readonly after?: number;
}

/** A part of a text, from `start` up to `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The minimum length of a secret that is searched for, in bytes. Shorter secrets occur in many texts by chance. */
const SHORTEST_SECRET = 4;
/**
 * The minimum length of a distinct secret, in bytes. A distinct secret is found in all encodings, and so are its pieces of at least this
 * length. Shorter secrets are found only as whole words, and not in base64 or hex.
 */
const DISTINCT = 8;
const BASE64_PIECE = Math.ceil((DISTINCT * 8) / 6);
const HEX_PIECE = DISTINCT * 2;

/**
 * Returns all forms of a secret, in normalised characters: plain, base64 and hex. In base64, a secret looks different at each of three
 * positions in the encoded bytes, so there are three forms; normalised base64url is the same as base64. Escapes need no forms, because they
 * are undone before the search.
 */
export function formsOf(secret: string): readonly Form[] {
  const bytes = utf8(secret);
  if (bytes.length < SHORTEST_SECRET) return [];
  const plain = form(normalised(bytes), DISTINCT);
  if (bytes.length < DISTINCT) return [plain];
  // HTML forms encode a space as a plus sign.
  const spaced = bytes.includes(' ') ? [form(normalised(bytes.replaceAll(' ', '+')), DISTINCT)] : [];
  const base64 = [0, 1, 2].map((offset) => base64Form(bytes, offset));
  const hex = form(hexOf(bytes), HEX_PIECE);
  return [plain, ...spaced, ...base64, hex];
}

const form = (text: string, piece: number): Form => ({
  text,
  head: text.slice(0, piece),
  tail: text.slice(-piece),
});

/**
 * Returns the base64 form of a secret that begins `offset` bytes after the start of a group of three bytes. The form has only the
 * characters that depend on the secret alone. The characters next to them also depend on the text before and after the secret.
 */
function base64Form(bytes: string, offset: number): Form {
  const encoded = Buffer.from('\0'.repeat(offset) + bytes, 'latin1').toString('base64');
  const [start, end] = [(offset * 8) / 6, ((offset + bytes.length) * 8) / 6];
  return {
    ...form(normalised(encoded.slice(Math.ceil(start), Math.floor(end))), BASE64_PIECE),
    before: Math.ceil(start) - Math.floor(start),
    after: Math.ceil(end) - Math.floor(end),
  };
}

/** Returns the bytes in lower case, with base64 characters changed to base64url. Each character keeps its place. */
export function normalised(bytes: string): string {
  return bytes.toLowerCase().replaceAll('+', '-').replaceAll('/', '_');
}

/** Returns a regular expression that matches every normalised text that may contain a form or a piece of a form. */
export function suspicionOf(forms: readonly Form[]): RegExp {
  const parts = forms.flatMap(({ head, tail }) => [head, tail]);
  // Without forms, the expression matches nothing.
  return new RegExp(parts.map(literally).join('|') || '(?!)');
}

const literally = (text: string): string => text.replace(/[^a-z0-9]/g, (one) => `\\x${hexOf(one)}`);

const hexOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('hex');

/** True if the form is so short that it may occur in other texts by chance. */
export const isShort = ({ text }: Form): boolean => text.length < DISTINCT;

/** Returns the places where a normalised text contains the form, or only its beginning or its end. */
export function placesOf(form: Form, text: string): readonly Range[] {
  const whole = wholes(form, text);
  return isShort(form) ? whole : [...whole, ...beginnings(form, text), ...ends(form, text)];
}

/** Returns the places where a normalised text contains the whole form. */
export function wholes(form: Form, text: string): readonly Range[] {
  const found = occurrences(form.text, text);
  if (found.length === 0) return found;
  if (isShort(form)) return found.filter(({ start, end }) => !isWord(text[start - 1]) && !isWord(text[end]));
  const { before = 0, after = 0 } = form;
  return found.map(({ start, end }) => ({
    start: isBase64(text[start - 1]) ? start - before : start,
    end: isBase64(text[end]) ? end + after : end,
  }));
}

/**
 * Finds beginnings of the form. A long beginning always counts. A short beginning counts only if it looks cut off: the text ends there, or
 * the next character is not a letter or digit. That next character may by chance also be the secret's next character.
 */
function beginnings({ text: form, head }: Form, text: string): Range[] {
  return occurrences(head, text).flatMap((found) => {
    let end = found.end;
    while (end - found.start < form.length && text[end] === form[end - found.start]) end += 1;
    const isCut = end === text.length || hasNoWord(text.slice(found.end, end + 1));
    return isLong(end - found.start, head) || isCut ? [{ start: found.start, end }] : [];
  });
}

function ends({ text: form, tail }: Form, text: string): Range[] {
  let floor = 0;
  return occurrences(tail, text).flatMap(({ start: found, end }) => {
    let start = found;
    while (start > floor && text[start - 1] === form[form.length - (end - start) - 1]) start -= 1;
    floor = end;
    const isCut = start === 0 || hasNoWord(text.slice(start - 1, found));
    return isLong(end - start, tail) || isCut ? [{ start, end }] : [];
  });
}

/** True if a piece is so long that it cannot be there by chance. */
const isLong = (length: number, piece: string): boolean => length >= 2 * piece.length;

function occurrences(part: string, text: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    found.push({ start: at, end: at + part.length });
  }
  return found;
}

const hasNoWord = (text: string): boolean => /[^a-z0-9]/.test(text);

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character);

const isBase64 = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9_-]/.test(character);

/**
 * A text as its UTF-8 bytes, with one character per byte. In this form, escaped bytes and escaped characters can be compared. `from` and
 * `to` say from which part of the original text each byte comes. Without them, each byte comes from the character at the same index.
 */
interface Bytes {
  readonly text: string;
  readonly from?: Uint32Array;
  readonly to?: Uint32Array;
}

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function bytesOf(text: string): Bytes {
  // eslint-disable-next-line no-control-regex -- ASCII is its own UTF-8
  if (/^[\x00-\x7f]*$/.test(text)) return { text };
  const pieces: Piece[] = [];
  let at = 0;
  for (const character of text) {
    pieces.push({ text: utf8(character), from: at, to: at + character.length });
    at += character.length;
  }
  return joined(pieces);
}

/**
 * The three kinds of escapes: percent-encoding, escapes of JSON and JavaScript, and character references of HTML. One kind may be inside
 * another.
 */
const ESCAPES: readonly RegExp[] = [
  [/%(?<byte>[0-9a-f]{2})/],
  [
    /\\x(?<byte>[0-9a-f]{2})/,
    /\\u(?<high>d[89ab][0-9a-f]{2})\\u(?<low>d[c-f][0-9a-f]{2})/,
    /\\u(?<unit>[0-9a-f]{4})/,
    /\\u\{(?<point>[0-9a-f]{1,6})\}/,
    /\\(?<escaped>[^])/,
  ],
  [/&#x(?<hex>[0-9a-f]{1,6});?/, /&#(?<decimal>[0-9]{1,7});?/, /&(?<name>amp|lt|gt|quot|apos);/],
].map((parts) => new RegExp(parts.map(({ source }) => source).join('|'), 'gi'));

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The maximum number of readings of one text. A text may be escaped several times, such as JSON inside JSON. */
const MAX_READINGS = 16;

/** Returns all readings of a text: the text itself, and each text that results if escapes are undone, kind by kind and repeatedly. */
export function readingsOf(text: string): readonly Bytes[] {
  const readings = new Map<string, Bytes>();
  const add = (bytes: Bytes): void => {
    if (readings.size < MAX_READINGS && !readings.has(bytes.text)) readings.set(bytes.text, bytes);
  };
  add(bytesOf(text));
  // The loop also visits the entries that it adds, as iterations of a map do.
  for (const bytes of readings.values()) {
    if (/[%\\&]/.test(bytes.text)) for (const escape of ESCAPES) add(unescaped(bytes, escape));
  }
  return Array.from(readings.values());
}

/** Undoes every escape of one kind, once. */
function unescaped(bytes: Bytes, kind: RegExp): Bytes {
  const { text, from, to } = bytes;
  const pieces: Piece[] = [];
  let at = 0;
  const add = (piece: string, end: number): void => {
    pieces.push({ text: piece, from: from?.[at] ?? at, to: to?.[end - 1] ?? end });
    at = end;
  };
  for (const { 0: escape, index, groups = {} } of text.matchAll(kind)) {
    while (at < index) add(text.charAt(at), at + 1);
    add(meaningOf(groups) ?? escape, index + escape.length);
  }
  if (pieces.length === 0) return bytes;
  while (at < text.length) add(text.charAt(at), at + 1);
  return joined(pieces);
}

/** Returns the bytes that an escape means. Returns `undefined` for a number that is not a character. */
function meaningOf(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { byte, high, low, unit, point, hex, decimal, name, escaped } = groups;
  if (byte !== undefined) return String.fromCharCode(parseInt(byte, 16));
  if (high !== undefined && low !== undefined) {
    return utf8(String.fromCharCode(parseInt(high, 16), parseInt(low, 16)));
  }
  if (name !== undefined) return NAMED[name.toLowerCase()];
  if (escaped !== undefined) return CONTROLS[escaped] ?? escaped;
  const code = decimal === undefined ? parseInt(unit ?? point ?? hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : undefined;
}

interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Joins pieces. Every byte of a piece is mapped to the whole part of the original text from which the piece comes. */
function joined(pieces: readonly Piece[]): Bytes {
  const text = pieces.map((piece) => piece.text).join('');
  const [from, to] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  let at = 0;
  for (const piece of pieces) {
    const end = at + piece.text.length;
    from.fill(piece.from, at, end);
    to.fill(piece.to, at, end);
    at = end;
  }
  return { text, from, to };
}
