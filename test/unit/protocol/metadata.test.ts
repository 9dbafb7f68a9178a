import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionInput, SessionFilter } from '../../../src';
import { inputFailures } from '../../../src/protocol/input';
import { claimedMetadata } from '../../../src/protocol/metadata';
import { conditionsOf, isMatch } from '../../../src/sessions/list/filter';
import { prepareStart } from '../../../src/sessions/start/prepare-start';
import { eft } from '../../support/requests';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';
import { attributeType } from '../../../src/settings/register-search-attributes';

const failuresOf = (changes: object) =>
  inputFailures({ key: 'order-1', request: eft(), ...changes }, () => []).map(
    ({ path, message }) => `${path} ${message}`,
  );

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, '']));

describe('the metadata of a session’s input', () => {
  test.each([
    ['undefined', undefined],
    ['null, as another SDK may send it', null],
    ['an empty object', {}],
    ['twenty texts', many(20)],
    ['a name of forty characters', { [`a${'_.-9'.repeat(9)}bcd`]: 'x' }],
    ['an empty value, and a value of 500 characters of any script', { empty: '', long: '🍁é\n'.repeat(166) }],
    ['names of members that every JavaScript object has', { constructor: 'x', toString: 'y' }],
  ])('may be %s', (_name, metadata) => {
    expect(failuresOf({ metadata })).toEqual([]);
  });

  test.each([
    ['text', 'customer', 'metadata must be an object'],
    ['a list', ['customer'], 'metadata must be an object'],
    ['twenty-one texts', many(21), 'metadata must have at most 20 members'],
    ['a number', { order: 7 }, 'metadata.order must be text of at most 500 characters'],
    ['an object', { order: {} }, 'metadata.order must be text of at most 500 characters'],
    ['501 characters', { order: 'x'.repeat(501) }, 'metadata.order must be text of at most 500 characters'],
    ['half a surrogate pair', { order: '\ud83c' }, 'metadata.order must not contain a lone surrogate'],
    ['a name with a space', { 'order id': '7' }, 'metadata.order id must begin with a letter'],
    ['a name with a digit at its start', { '7': '7' }, 'metadata.7 must begin with a letter'],
    [
      'a name of 41 characters',
      { ['n'.repeat(41)]: '' },
      `metadata.${'n'.repeat(41)} must begin with a letter`,
    ],
  ])('may not be %s', (_name, metadata, message) => {
    expect(failuresOf({ metadata })).toEqual([expect.stringContaining(message)]);
  });

  test('may not be a field of the request, because the payment service receives all fields of the request', () => {
    expect(failuresOf({ request: { ...eft(), metadata: { customer: 'cus_42' } } })).toEqual([
      'request.metadata is not a field of the request; did you mean metadata?',
    ]);
  });
});

describe('the values of searchable metadata', () => {
  const policy = { searchableMetadata: ['customer'] };

  test.each([['cus_42'], ['a'], ['avery@shop.example'], ['INV/2026 #7 (a=b)'], ['x'.repeat(100)]])(
    'may be %s',
    (customer) => {
      expect(failuresOf({ policy, metadata: { customer } })).toEqual([]);
    },
  );

  test.each([
    [''],
    [' a'],
    ['a '],
    ["O'Hara"],
    ['"a"'],
    ['a\\b'],
    ['a?b'],
    ['été'],
    ['a\nb'],
    ['a\tb'],
    ['a\u007f'],
    ['x'.repeat(101)],
  ])('may not be %j, because Temporal’s index may not find the value', (customer) => {
    expect(failuresOf({ policy, metadata: { customer } })).toEqual([
      expect.stringMatching(
        /^metadata\.customer is searchable, and must be 1 to 100 printable characters of ASCII/,
      ),
    ]);
    expect(failuresOf({ metadata: { customer } })).toEqual([]);
  });

  test('have at most five names, and may be missing in a session', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    expect(failuresOf({ policy: { searchableMetadata: names }, metadata: { b: 'x' } })).toEqual([]);
    for (const searchableMetadata of [[...names, 'f'], 'customer', [7], ['not a name'], null])
      expect(failuresOf({ policy: { searchableMetadata } })).toEqual(
        searchableMetadata === null
          ? []
          : ['policy.searchableMetadata must be a list of at most 5 names of metadata'],
      );
  });

  test('are the only metadata that Temporal stores in plain text', () => {
    const input: PaymentSessionInput = {
      key: 'order-1',
      request: eft(),
      metadata: { note: 'call Avery', order: '77', customer: 'cus_42' },
      policy: { searchableMetadata: ['order', 'customer', 'branch', 'order'] },
    };
    const { options } = prepareStart(input, 'payment-sessions');
    const found = options.typedSearchAttributes.find(({ key }) => key.name === SEARCH_ATTRIBUTES.metadata);
    expect(found?.value).toEqual(['customer=cus_42', 'order=77']);
    const { args: _encrypted, ...plain } = options;
    expect(JSON.stringify(plain)).not.toMatch(/note|Avery/);
    expect(attributeType(SEARCH_ATTRIBUTES.metadata)).toBe('KeywordList');
    expect(claimedMetadata(input)).toEqual({ metadata: input.metadata, searchable: ['customer', 'order'] });
  });

  test('fit in one search attribute of 2 KB', () => {
    const names = Array.from({ length: 5 }, (_, at) => `${'n'.repeat(39)}${'abcde'[at]}`);
    const metadata = Object.fromEntries(names.map((name) => [name, 'v'.repeat(100)]));
    const input = { key: 'order-1', request: eft(), metadata, policy: { searchableMetadata: names } };
    const { options } = prepareStart(input, 'payment-sessions');
    const found = options.typedSearchAttributes.find(({ key }) => key.name === SEARCH_ATTRIBUTES.metadata);
    expect(JSON.stringify(found?.value).length).toBeLessThan(2_048);
  });

  test('add no search attribute to a session without them', () => {
    const { options } = prepareStart({ key: 'order-1', request: eft(), metadata: { note: 'x' } }, 'queue');
    expect(options.typedSearchAttributes.map(({ key }) => key.name)).not.toContain(
      SEARCH_ATTRIBUTES.metadata,
    );
  });
});

describe('a filter by metadata', () => {
  test('queries each value, and then compares the answers with the values, because SQLite ignores the case of letters', () => {
    const filter: SessionFilter = { metadata: { customer: 'cus_42', order: '77' } };
    expect(conditionsOf(filter)).toEqual(
      expect.arrayContaining([
        "PaymentSessionMetadata = 'customer=cus_42'",
        "PaymentSessionMetadata = 'order=77'",
      ]),
    );
    expect(isMatch(filter, { metadata: { customer: 'cus_42', order: '77', more: 'x' } })).toBe(true);
    expect(isMatch(filter, { metadata: { customer: 'CUS_42', order: '77' } })).toBe(false);
    expect(isMatch(filter, {})).toBe(false);
  });

  test.each([
    [{ customer: "O'Hara" }, 'metadata.customer is searchable'],
    [{ customer: 7 }, 'metadata.customer must be text'],
    ['customer=cus_42', 'must be an object'],
    [null, 'must be an object'],
  ])('is refused if it is %j', (metadata, message) => {
    expect(() => conditionsOf({ metadata } as unknown as SessionFilter)).toThrow(message);
  });
});
