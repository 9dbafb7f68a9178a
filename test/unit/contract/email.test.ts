import { describe, expect, test } from '@jest/globals';
import { validateSessionRequest } from '../../../src/contract';
import { eft } from '../../support/requests';
import { email as rule } from '../../../src/contract/request-fields';

// A18 is a rule of the contract (docs/contract.md).

const failuresOf = (email: string) => {
  const checked = validateSessionRequest({ ...eft(), payor: { ...eft().payor, email } });
  return checked.valid ? [] : checked.failures.map(({ path }) => path);
};

describe('A18 an email address', () => {
  test.each([
    'avery@example.com',
    "o'brien@example.com",
    'r&d@example.com',
    'sales/east@example.com',
    'unit#7@example.com',
    'a=b@example.com',
    'who?@example.com',
    'user%list@example.com',
    '{ops}|`hey`!@example.com',
    "quotes'@example.com",
    'first.last+tag@mail.example.com',
    '_@example.com',
    '-@1.example.com',
    'user@x--y.example',
    'user@3com.com',
    'user@example.xn--p1ai',
    'user@xn--h1alffa9f.xn--p1ai',
    `user@${'a'.repeat(63)}.com`,
  ])('may be %s', (email) => {
    expect(failuresOf(email)).toEqual([]);
  });

  test.each([
    'nobody',
    '',
    '@example.com',
    'a@',
    'a@b',
    'a b@example.com',
    'a@exa mple.com',
    'a@example.com\n',
    '\ufeffa@example.com',
    '<a@example.com>',
    'Avery <a@example.com>',
    'a@b@example.com',
    'a@example..com',
    'a@.example.com',
    'a@example.com.',
    'a@-example.com',
    'a@example-.com',
    'a@example.com,b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    '"a b"@example.com',
    'a@[192.0.2.1]',
    'a@192.0.2.1',
    'a@example.c',
    'a@under_score.com',
    'chloé@example.com',
    'user@пример.рф',
    `user@${'a'.repeat(64)}.com`,
  ])('is not %j', (email) => {
    expect(failuresOf(email)).toEqual(['payor.email']);
  });

  test('has a pattern in the OpenAPI document that also accepts valid and refuses invalid addresses', () => {
    const pattern = new RegExp(rule.form?.pattern ?? '', 'u');
    expect(pattern.test("r&d.o'brien@xn--h1alffa9f.xn--p1ai")).toBe(true);
    expect(pattern.test('a..b@example.com')).toBe(false);
  });
});
