import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import type { RawAnswer } from './exchange';
import { transportReason } from './transport-reason';

type Undo = (bytes: Buffer, options: Pick<ZlibOptions, 'maxOutputLength'>) => Buffer;

/** Some servers leave out zlib's header, whose first byte names the method 8. */
const inflate: Undo = (bytes, options) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);

/** Every Node version has these. */
const UNDO: Readonly<Record<string, Undo>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflate,
  br: brotliDecompressSync,
};

/** The other codings of IANA's registry. Only listed names are repeated in messages: a header may hold anything. */
const OTHERS = ['aes128gcm', 'compress', 'dcb', 'dcz', 'exi', 'pack200-gzip', 'x-compress', 'zstd'];

/** A server has no reason to apply more, and each costs a buffer of the bound's size. */
const MOST_CODINGS = 3;

/**
 * Undoes the content codings of an answer. Requests ask for `identity`, but some gateways compress every answer. The bound also applies to
 * the text that comes out, so a small body cannot become a large one.
 */
export function undoCodings(
  bytes: Buffer,
  header: string | readonly string[] | undefined,
  maxBytes: number,
): RawAnswer['body'] {
  const codings = codingsOf(header);
  if (codings.length === 0 || bytes.length === 0) return { state: 'complete', bytes };
  if (codings.length > MOST_CODINGS) return { state: 'coded', coding: undefined, bytes };
  let plain = bytes;
  // The last one was applied last.
  for (const coding of codings.reverse()) {
    try {
      plain = UNDO[coding]?.(plain, { maxOutputLength: maxBytes }) ?? refuse();
    } catch (error) {
      if (transportReason(error) === 'ERR_BUFFER_TOO_LARGE') return { state: 'tooLarge', bytes };
      // A gateway may undo the coding and leave the header.
      if (isLikeJson(bytes)) return { state: 'complete', bytes };
      return { state: 'coded', coding: knownName(coding), bytes };
    }
  }
  return { state: 'complete', bytes: plain };
}

const codingsOf = (header: string | readonly string[] = ''): string[] =>
  String(header)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

const knownName = (coding: string): string | undefined =>
  coding in UNDO || OTHERS.includes(coding) ? coding : undefined;

const isLikeJson = (bytes: Buffer): boolean => /^\s*[[{]/.test(bytes.toString('latin1', 0, 100));

function refuse(): never {
  throw new Error('This coding cannot be undone.');
}
