import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { jsonFault, whereNoJson } from '../../../src/contract/values/outside-text';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the first fault of a text that is not JSON', () => {
  test.each([
    ['{\n  "key": "order-1"\n  "request": {}\n}', 'line 3, column 3: "," or "}" is expected'],
    ['{"a": 1,}', 'line 1, column 9: a name in double quotes is expected'],
    ['{a: 1}', 'line 1, column 2: a name in double quotes is expected'],
    ['{"a" 1}', 'line 1, column 6: ":" is expected'],
    ['[1,\r\n 2,]', 'line 2, column 4: a value is expected'],
    ['{"a": tru}', 'line 1, column 7: a value is expected'],
    ['{"a": 01}', 'line 1, column 7: a value is expected'],
    ['{"a": "b\n"}', 'line 1, column 7: a value is expected'],
    ['{} {}', 'line 1, column 4: the end of the text is expected'],
    ['{"a": [1, 2', 'line 1, column 12: "," or "]" is expected'],
    ['', 'line 1, column 1: a value is expected'],
  ])('in %j is %s', (text, where) => {
    expect(whereNoJson(text)).toBe(where);
  });

  test('is undefined for valid JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => jsonFault(text) === undefined));
    expect(jsonFault(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).toBeUndefined();
  });

  test('is defined exactly if JSON.parse fails', () => {
    const mutilated = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', '0', 'x', ':', '\\', ' '),
    );
    fc.assert(
      fc.property(mutilated, ([json, at, put]) => {
        const cut = at % (json.length + 1);
        const text = json.slice(0, cut) + put + json.slice(cut + 1);
        return (jsonFault(text) === undefined) === isJson(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
