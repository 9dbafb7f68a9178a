import { expect, test } from '@jest/globals';
import {
  RETURN_ADVICE,
  RETURN_REASONS,
  RETURN_REMEDIES,
  returnReason,
} from '../../../src/contract/return-codes';

test('A76 the codes are those of the standard, and a dispute', () => {
  expect(RETURN_REASONS.map(({ code }) => code).join(' ')).toBe(
    '900 901 902 903 905 907 908 909 910 911 912 914 915 916 917 918 919 920 921 922 990 DISPUTED',
  );
});

test.each([
  ['901', '901'],
  ['NSF', '901'],
  ['nsf', '901'],
  [' R901 ', '901'],
  ['R900-07', '900'],
  ['disputed', 'DISPUTED'],
])('A76 %p is the code %p', (given, code) => {
  expect(returnReason(given)?.code).toBe(code);
});

test.each(['', '904', '9011', 'R90', 'R01', 'constructor', '__proto__', '901.5'])(
  'A76 %p is not known',
  (given) => {
    expect(returnReason(given)).toBeUndefined();
  },
);

test('A76 only a lack of funds may be presented again, and only as a debit', () => {
  const again = RETURN_REASONS.filter(({ advice }) => advice === 'presentAgain');
  expect(again.map(({ code, only }) => [code, only])).toEqual([
    ['901', 'DEBIT'],
    ['908', 'DEBIT'],
  ]);
});

test('A76 a missing or revoked agreement and a dispute stop everything at once', () => {
  for (const code of ['915', '916', '917', '918', '919', '920', '921', 'DISPUTED'])
    expect(returnReason(code)).toMatchObject({ advice: 'stop', urgency: 'high' });
});

test('each meaning and each remedy exists in both languages, and no two are the same', () => {
  const meanings = RETURN_REASONS.map(({ meaning }) => meaning);
  const remedies = RETURN_ADVICE.flatMap((advice) => [
    RETURN_REMEDIES[advice].DEBIT,
    RETURN_REMEDIES[advice].CREDIT,
  ]);
  for (const texts of [meanings, remedies])
    for (const language of ['EN', 'FR'] as const) {
      const said = texts.map((text) => text[language]);
      expect(said.every((text) => /^\p{Lu}.{9}/u.test(text))).toBe(true);
      expect(new Set(said).size).toBe(texts.length);
    }
});
