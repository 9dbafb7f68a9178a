import { utf8 } from './unescape';

/** One way in which a secret may be written, normalised. */
export interface Form {
  readonly text: string;
  /** A beginning or end of at least so many characters counts as well, for an echo may be cut. */
  readonly piece: number;
  /** Characters beside the form that tell a part of the secret, too. */
  readonly before?: number;
  readonly after?: number;
}

/** A part of a text, from `start` up to `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Shorter secrets would be found in most texts, so they cannot be told from them. */
const SHORTEST_SECRET = 4;
/** Shorter ones are found as whole words only, and as they are; cut pieces of others have at least so many characters. */
const DISTINCT = 8;
const BASE64_PIECE = Math.ceil((DISTINCT * 8) / 6);
const HEX_PIECE = DISTINCT * 2;

/**
 * All forms of a secret, in normalised bytes: as it is, in base64 (base64url reads the same here) at each of the three
 * places where it may begin in what is encoded, and in hex. Escapes are taken back before forms are looked for.
 */
export function formsOf(secret: string): readonly Form[] {
  const bytes = utf8(secret);
  if (bytes.length < SHORTEST_SECRET) return [];
  const plain = { text: normalised(bytes), piece: DISTINCT };
  if (bytes.length < DISTINCT) return [plain];
  // A form writes spaces as plus signs.
  const spaced = bytes.includes(' ') ? [{ ...plain, text: normalised(bytes.replaceAll(' ', '+')) }] : [];
  const base64 = [0, 1, 2].map((offset) => base64Form(bytes, offset));
  const hex = { text: Buffer.from(bytes, 'latin1').toString('hex'), piece: HEX_PIECE };
  return [plain, ...spaced, ...base64, hex];
}

/**
 * The base64 characters that the secret alone decides, when it begins so many bytes into a group of three. The ones beside
 * them are decided together with what stands before and after it.
 */
function base64Form(bytes: string, offset: number): Form {
  const encoded = Buffer.from('\0'.repeat(offset) + bytes, 'latin1').toString('base64');
  const [start, end] = [(offset * 8) / 6, ((offset + bytes.length) * 8) / 6];
  return {
    text: normalised(encoded.slice(Math.ceil(start), Math.floor(end))),
    piece: BASE64_PIECE,
    before: Math.ceil(start) - Math.floor(start),
    after: Math.ceil(end) - Math.floor(end),
  };
}

/** Case and the two alphabets of base64 make no difference. It keeps each character's place. */
export function normalised(bytes: string): string {
  return bytes.toLowerCase().replaceAll('+', '-').replaceAll('/', '_');
}

/** Where a normalised text holds the form, or a beginning or end of it that was cut off. */
export function placesOf(form: Form, text: string): Range[] {
  return [
    ...wholes(form, text),
    ...(form.text.length > form.piece ? [...beginnings(form, text), ...ends(form, text)] : []),
  ];
}

export function wholes({ text: form, before = 0, after = 0 }: Form, text: string): Range[] {
  const found = occurrences(form, text);
  if (form.length < DISTINCT) {
    return found.filter(({ start, end }) => !isWord(text[start - 1]) && !isWord(text[end]));
  }
  return found.map(({ start, end }) => ({
    start: isBase64(text[start - 1]) ? start - before : start,
    end: isBase64(text[end]) ? end + after : end,
  }));
}

/** A short beginning counts only where the text goes on as if it were cut: with the end, or with no letter or digit. */
function beginnings({ text: form, piece }: Form, text: string): Range[] {
  return occurrences(form.slice(0, piece), text).flatMap((found) => {
    let end = found.end;
    while (end - found.start < form.length && text[end] === form[end - found.start]) end += 1;
    const isLong = end - found.start >= 2 * piece;
    return isLong || !isWord(text[end]) ? [{ start: found.start, end }] : [];
  });
}

function ends({ text: form, piece }: Form, text: string): Range[] {
  let floor = 0;
  return occurrences(form.slice(-piece), text).flatMap(({ start: found, end }) => {
    let start = found;
    while (start > floor && text[start - 1] === form[form.length - (end - start) - 1]) start -= 1;
    floor = end;
    const isLong = end - start >= 2 * piece;
    return isLong || !isWord(text[start - 1]) ? [{ start, end }] : [];
  });
}

function occurrences(part: string, text: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    found.push({ start: at, end: at + part.length });
  }
  return found;
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character);

const isBase64 = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9_-]/.test(character);
