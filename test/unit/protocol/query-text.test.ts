import { describe, expect, test } from '@jest/globals';
import { isExactText, isLookedFor, quoted, textCondition } from '../../../src/protocol/temporal/query-text';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';
import { inputAttributes } from '../../../src/protocol/temporal/visibility';
import { conditionsOf, isExact, isMatch } from '../../../src/sessions/list/filter';
import { geft } from '../../support/requests';

describe('a text in a query to Temporal’s index', () => {
  test.each([
    ['order-1', "Ref = 'order-1'"],
    ["O'Brien", "Ref = 'O\\'Brien'"],
    ['100%_!*', "Ref = '100%_!*'"],
    ['emoji🎉', "Ref = 'emoji🎉'"],
    ['a AND (x = 1) --', "Ref = 'a AND (x = 1) --'"],
  ])('is used as a whole if it is %p', (text, condition) => {
    expect(textCondition('Ref', text)).toEqual({ condition, isExact: true });
    expect([isLookedFor(text), isExactText(text)]).toEqual([true, true]);
  });

  test.each([
    ['say "hi"', "Ref STARTS_WITH 'say '"],
    ['C:\\orders', "Ref STARTS_WITH 'C:'"],
    ['why?', "Ref STARTS_WITH 'why'"],
    ['one\ntwo', "Ref STARTS_WITH 'one'"],
    ['one\ttwo', "Ref STARTS_WITH 'one'"],
    ['one\rtwo', "Ref STARTS_WITH 'one'"],
    ['one\btwo', "Ref STARTS_WITH 'one'"],
    ['one\0two', "Ref STARTS_WITH 'one'"],
    // Temporal ignores an apostrophe at the end, so the beginning ends before the apostrophe.
    ['O\'"Brien', "Ref STARTS_WITH 'O'"],
    ['O\'Brien"s', "Ref STARTS_WITH 'O\\'Brien'"],
  ])('is replaced by its beginning if it is %p', (text, condition) => {
    expect(textCondition('Ref', text)).toEqual({ condition, isExact: false });
    expect([isLookedFor(text), isExactText(text)]).toEqual([true, false]);
  });

  test.each(['"hi"', "'x", "'", '\\x', '?', '\nx', '\t', '\'"'])('cannot be used if it is %p', (text) => {
    expect(textCondition('Ref', text)).toBeUndefined();
    expect(isLookedFor(text)).toBe(false);
  });

  test('with an apostrophe at its end can be used in a search, but not in a filter of a list', () => {
    expect(textCondition('Ref', "Jones'")).toEqual({ condition: "Ref STARTS_WITH 'Jones'", isExact: false });
    expect(isLookedFor("Jones'")).toBe(false);
  });

  test('is escaped, so that it cannot change the query', () => {
    expect(quoted("\\' OR 1 = 1 --")).toBe("'\\\\\\' OR 1 = 1 --'");
  });
});

describe('a filter of sessions', () => {
  const FIELDS = ['status', 'code', 'referenceId', 'account', 'shortId'] as const;

  test.each(FIELDS)(
    'by %s queries the beginning of a text with special characters, and then compares the answers with the text',
    (field) => {
      const filter = { [field]: 'say "hi"' };
      expect(conditionsOf(filter).join(' AND ')).toMatch(/ STARTS_WITH 'say '/);
      expect(isExact(filter)).toBe(false);
      expect(isMatch(filter, { [field]: 'say "hi"' })).toBe(true);
      expect(isMatch(filter, { [field]: 'say "ho"' })).toBe(false);
      expect(isMatch(filter, {})).toBe(false);
    },
  );

  test.each(FIELDS)('by %s is refused if a query cannot contain its text', (field) => {
    for (const text of ['"hi"', '\\', '?', "Jones'", '\n'])
      expect(() => conditionsOf({ [field]: text })).toThrow(
        expect.objectContaining({
          code: 'INVALID_FILTER',
          message: expect.stringContaining(`${field} must not begin with a quotation mark`),
        }),
      );
  });

  test('needs no comparison of the answers if it has no text', () => {
    expect(isExact({ code: null, running: true, kind: 'EFT' })).toBe(true);
    expect(isMatch({ code: null }, { code: undefined })).toBe(true);
    expect(conditionsOf({ code: null })).toContain('PaymentSessionCode IS NULL');
  });
});

test('a reference with a NUL is not indexed, because PostgreSQL would refuse the session’s whole row', () => {
  const reference = (referenceId: string) => {
    const attributes = inputAttributes({ key: 'order-1', request: { ...geft(), referenceId } });
    return attributes.find(({ key }) => key.name === SEARCH_ATTRIBUTES.reference)?.value;
  };
  expect([reference('order-7'), reference('order-7\0')]).toEqual(['order-7', null]);
});
