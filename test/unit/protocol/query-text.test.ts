import { describe, expect, test } from '@jest/globals';
import { isExactText, isLookedFor, quoted, textCondition } from '../../../src/protocol/temporal/query-text';
import { conditionsOf, isExact, isMatch } from '../../../src/sessions/list/filter';

describe('a text of a query', () => {
  test.each([
    ['order-1', "Ref = 'order-1'"],
    ["O'Brien", "Ref = 'O\\'Brien'"],
    ['100%_!*', "Ref = '100%_!*'"],
    ['emoji🎉', "Ref = 'emoji🎉'"],
    ['a AND (x = 1) --', "Ref = 'a AND (x = 1) --'"],
  ])('%p is asked for as it is', (text, condition) => {
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
    // Temporal would drop the apostrophe before the sign.
    ['O\'"Brien', "Ref STARTS_WITH 'O'"],
    ['O\'Brien"s', "Ref STARTS_WITH 'O\\'Brien'"],
  ])('%p is asked for by its beginning', (text, condition) => {
    expect(textCondition('Ref', text)).toEqual({ condition, isExact: false });
    expect([isLookedFor(text), isExactText(text)]).toEqual([true, false]);
  });

  test.each(['"hi"', "'x", "'", '\\x', '?', '\nx', '\t', '\'"'])('%p cannot be asked for', (text) => {
    expect(textCondition('Ref', text)).toBeUndefined();
    expect(isLookedFor(text)).toBe(false);
  });

  test('that ends with an apostrophe is found by a search, and by no list', () => {
    expect(textCondition('Ref', "Jones'")).toEqual({ condition: "Ref STARTS_WITH 'Jones'", isExact: false });
    expect(isLookedFor("Jones'")).toBe(false);
  });

  test('is quoted so that it stays a text', () => {
    expect(quoted("\\' OR 1 = 1 --")).toBe("'\\\\\\' OR 1 = 1 --'");
  });
});

describe('a filter', () => {
  const FIELDS = ['status', 'code', 'referenceId', 'account', 'shortId'] as const;

  test.each(FIELDS)('asks for the beginning of an odd text, and compares the answers: %s', (field) => {
    const filter = { [field]: 'say "hi"' };
    expect(conditionsOf(filter).join(' AND ')).toMatch(/ STARTS_WITH 'say '/);
    expect(isExact(filter)).toBe(false);
    expect(isMatch(filter, { [field]: 'say "hi"' })).toBe(true);
    expect(isMatch(filter, { [field]: 'say "ho"' })).toBe(false);
    expect(isMatch(filter, {})).toBe(false);
  });

  test.each(FIELDS)('refuses a text that cannot be asked for, and says so: %s', (field) => {
    for (const text of ['"hi"', '\\', '?', "Jones'", '\n'])
      expect(() => conditionsOf({ [field]: text })).toThrow(
        expect.objectContaining({
          code: 'INVALID_FILTER',
          message: expect.stringContaining(`${field} must not begin with a quotation mark`),
        }),
      );
  });

  test('that asks for no code, or for no text, is exact', () => {
    expect(isExact({ code: null, running: true, kind: 'EFT' })).toBe(true);
    expect(isMatch({ code: null }, { code: undefined })).toBe(true);
    expect(conditionsOf({ code: null })).toContain('PaymentSessionCode IS NULL');
  });
});
