import { describe, expect, test } from '@jest/globals';
import { webUri } from '../../../src/contract/request-fields';
import { fieldFailures } from '../../../src/contract/field-rules';

// A17 is a rule of the contract (docs/contract.md).

const accepts = (value: string): boolean => fieldFailures(webUri, value).length === 0;

/** True if a value matches the pattern in the OpenAPI document. */
const fitsPattern = (value: string): boolean => new RegExp(webUri.form?.pattern ?? '', 'u').test(value);

describe('A17 a redirect URL', () => {
  test.each([
    'https://shop.example',
    'https://shop.example/thanks?order=1#paid',
    'http://localhost:3000/paid',
    'http://[::1]:3000/?x',
    'http://192.0.2.7/',
    'https://shop.example?who=avery@example.com',
    'https://shop.example/@avery/payé',
    'https://café.example/',
    'HTTPS://SHOP.EXAMPLE/',
  ])('%p passes', (url) => {
    expect(accepts(url)).toBe(true);
    expect(fitsPattern(url)).toBe(true);
  });

  test.each([
    ['a user', 'https://avery@shop.example/'],
    ['a user and a password', 'https://avery:secret@shop.example/'],
    ['an empty user', 'https://@shop.example/'],
    ['a user that looks like the host', 'https://shop.example:443@evil.example/'],
    ['no host', 'http://'],
    ['three slashes, after which browsers read a host', 'http:///evil'],
    ['a fourth slash', 'https:////evil'],
    ['no slashes', 'http:evil'],
    ['one slash', 'https:/evil'],
    ['a backslash for a slash', 'https:\\\\evil'],
    ['a backslash in its host', 'https://shop.example\\@evil.example/'],
    ['a backslash in its path', 'https://shop.example/a\\b'],
    ['a space before it', ' https://shop.example/'],
    ['a space after it', 'https://shop.example/ '],
    ['a space inside', 'https://shop.example/a b'],
    ['a line feed, which browsers drop', 'https://shop\n.example/'],
    ['a tab in its scheme', 'ht\ttps://shop.example/'],
    ['a line separator', 'https://shop.example/\u2028'],
    ['no scheme', '//shop.example/'],
    ['another scheme', 'ftp://shop.example/'],
  ])('with %s is refused', (_what, url) => {
    expect(accepts(url)).toBe(false);
    expect(fitsPattern(url)).toBe(false);
  });

  test.each([
    ['a control character', 'https://shop.example/\u0000'],
    ['an invisible character', 'https://shop\u200b.example/'],
    ['half a surrogate pair', 'https://shop.example/\ud800'],
    ['an invalid port', 'https://shop.example:70000/'],
    ['an invalid host', 'https://shop%2fevil/'],
  ])('with %s is refused, although the pattern of the OpenAPI document may accept it', (_what, url) => {
    expect(accepts(url)).toBe(false);
  });

  test('that is refused has one message, which does not contain the URL', () => {
    expect(fieldFailures(webUri, 'http:evil').map(({ message }) => message)).toEqual([
      'must be an absolute http or https URI, without user or password',
    ]);
  });
});
