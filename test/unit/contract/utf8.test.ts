import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeUtf8, NotUtf8Error, Utf8Reader } from '../../../src/contract/values/outside-text';

function read(bytes: Uint8Array, size: number): string {
  const reader = new Utf8Reader();
  let text = '';
  for (let from = 0; from < bytes.length; from += size)
    text += reader.take(bytes.subarray(from, from + size));
  reader.end();
  return text;
}

/** Reads the bytes five times: as a whole, and in pieces of four sizes. Returns the text or the refusal of each reading. */
function readings(bytes: Uint8Array): readonly unknown[] {
  const sizes = [bytes.length || 1, 1, 2, 3, 5];
  return sizes.map((size) => {
    try {
      return read(bytes, size);
    } catch (error) {
      return error instanceof NotUtf8Error ? `it ${error.message}` : error;
    }
  });
}

const fiveTimes = (value: unknown) => Array.from({ length: 5 }, () => value);

describe('UTF-8', () => {
  test.each([
    '',
    'a',
    'Chloé Bélanger',
    '日本\n😀\r\n',
    '\u0001\n',
    'a\ufeffb',
    'one \ufffd that was written',
  ])('is read: %j', (text) => {
    expect(readings(Buffer.from(text))).toEqual(fiveTimes(text));
    expect(readings(Buffer.from(`\ufeff${text}`))).toEqual(fiveTimes(text));
  });

  test('is read in pieces of any size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        expect(read(Buffer.from(`x${text}`.replaceAll('\0', '')), size)).toBe(
          `x${text}`.replaceAll('\0', ''),
        );
      }),
    );
  });

  test.each([
    ['Windows-1252', Buffer.from('{\n"firstName": "Chlo\xe9"\n}', 'latin1'), 2],
    ['Windows-1252 in the last byte', Buffer.from('a\n\nChlo\xe9', 'latin1'), 3],
    ['a smart quote', Buffer.from('\x93quoted\x94', 'latin1'), 1],
    ['a character that is cut off', Buffer.from('one\ntwo é').subarray(0, -1), 2],
    ['an overlong form', Buffer.from([0x61, 0x0a, 0xc0, 0xaf]), 2],
    ['half a surrogate pair in three bytes', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 1],
    ['a line that begins in the middle of a character', Buffer.from([0x61, 0xc3, 0x0a, 0xa9]), 1],
    ['a UTF-16 mark after the beginning', Buffer.from([0x61, 0x0a, 0xff, 0xfe]), 2],
  ])('is not %s', (_what, bytes, line) => {
    expect(readings(bytes)).toEqual(fiveTimes(`it is not UTF-8 in line ${line}`));
  });

  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

  test.each([
    ['little-endian with a mark', Buffer.from('\ufeff{"type":"EFT"}', 'utf16le')],
    ['big-endian with a mark', swapped('\ufeff{"type":"EFT"}')],
    ['little-endian', Buffer.from('reference,amount\r\n', 'utf16le')],
    ['big-endian', swapped('reference,amount\r\n')],
    ['little-endian with a mark and no letter of ASCII', Buffer.from('\ufeff日本', 'utf16le')],
    ['big-endian with a mark and no letter of ASCII', swapped('\ufeff日本')],
    ['of other letters, then of ASCII', Buffer.from('Ā\r\n', 'utf16le')],
  ])('is not UTF-16: %s', (_what, bytes) => {
    expect(readings(bytes)).toEqual(fiveTimes('it is UTF-16, not UTF-8'));
  });

  test('is read by decodeUtf8 in one call', () => {
    expect(decodeUtf8(Buffer.from('\ufeffé'))).toBe('é');
    expect(() => decodeUtf8(Buffer.from('\xe9', 'latin1'))).toThrow(NotUtf8Error);
  });
});
