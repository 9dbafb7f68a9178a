import { expect, test } from '@jest/globals';
import {
  RETURN_ADVICE,
  RETURN_REASONS,
  RETURN_REMEDIES,
  returnReason,
} from '../../../src/contract/return-codes';

// A76 is a rule of the contract (docs/contract.md).

test('A76 the return codes are the codes of the standard and DISPUTED', () => {
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
])('A76 %p is read as the return code %p', (given, code) => {
  expect(returnReason(given)?.code).toBe(code);
});

test.each(['', '904', '9011', 'R90', 'R01', 'constructor', '__proto__', '901.5'])(
  'A76 %p is not a known return code',
  (given) => {
    expect(returnReason(given)).toBeUndefined();
  },
);

test('A76 only a debit that was returned for lack of funds may be collected again', () => {
  const again = RETURN_REASONS.filter(({ advice }) => advice === 'presentAgain');
  expect(again.map(({ code, only }) => [code, only])).toEqual([
    ['901', 'DEBIT'],
    ['908', 'DEBIT'],
  ]);
});

test('A76 after a return for a missing or revoked agreement, or a dispute, the advice is to stop, with high urgency', () => {
  for (const code of ['915', '916', '917', '918', '919', '920', '921', 'DISPUTED'])
    expect(returnReason(code)).toMatchObject({ advice: 'stop', urgency: 'high' });
});

test('all meanings and remedies of return codes exist in both languages, and all are different', () => {
  const meanings = RETURN_REASONS.map(({ meaning }) => meaning);
  const remedies = RETURN_ADVICE.flatMap((advice) => [
    RETURN_REMEDIES[advice].DEBIT,
    RETURN_REMEDIES[advice].CREDIT,
  ]);
  for (const texts of [meanings, remedies])
    for (const language of ['EN', 'FR'] as const) {
      const translations = texts.map((text) => text[language]);
      expect(translations.every((text) => /^\p{Lu}.{9}/u.test(text))).toBe(true);
      expect(new Set(translations).size).toBe(texts.length);
    }
});
