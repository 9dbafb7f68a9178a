import * as fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10ffff;

/** Generates any Unicode character but surrogates. fast-check’s own unit `binary` is slower: it searches a list of 1.1 million. */
export const anyCharacter = fc.nat({ max: LAST - SURROGATES }).map(
  (place) => String.fromCodePoint(place < SURROGATES_FROM ? place : place + SURROGATES),
  (character) => {
    const isOne = typeof character === 'string' && /^[^\p{Surrogate}]$/su.test(character);
    if (!isOne) throw new Error('This is not a character.');
    const code = character.codePointAt(0) ?? 0;
    return code < SURROGATES_FROM ? code : code - SURROGATES;
  },
);
