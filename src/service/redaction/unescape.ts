/**
 * Text as its UTF-8 bytes, one a character, so that escapes of bytes and of characters meet. Each byte knows the part of
 * the original text that it stands for: `from` and `to`; without them it stands for the character in its place.
 */
export interface Bytes {
  readonly text: string;
  readonly from?: Uint32Array;
  readonly to?: Uint32Array;
}

export const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

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

/** Percent-encoding, escapes of JSON and JavaScript, and character references of HTML: what one writes, another may hide. */
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

/** An echo may be escaped several times, like JSON within JSON; a text is read in this many ways at most. */
const MAX_READINGS = 16;

/** A text as it is, and with its escapes taken back, kind by kind and again and again. */
export function readingsOf(text: string): readonly Bytes[] {
  const readings = new Map<string, Bytes>();
  const add = (bytes: Bytes): void => {
    if (readings.size < MAX_READINGS && !readings.has(bytes.text)) readings.set(bytes.text, bytes);
  };
  add(bytesOf(text));
  // A map's iteration goes on to what is added meanwhile.
  for (const bytes of readings.values()) {
    if (/[%\\&]/.test(bytes.text)) for (const escape of ESCAPES) add(unescaped(bytes, escape));
  }
  return Array.from(readings.values());
}

/** The same with every escape of one kind taken back once. */
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

/** The bytes that an escape stands for; `undefined` for a number that is no character. */
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

/** Every byte of a piece stands for the whole of it. */
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
