import { describe, expect, test } from '@jest/globals';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../../src/contract/values/json';

const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const bytes = (json: string) => new TextEncoder().encode(json);

describe('isNestedTooDeeply', () => {
  test.each([
    ['at the limit', arrays(MAX_JSON_DEPTH), false],
    ['above the limit', arrays(MAX_JSON_DEPTH + 1), true],
    ['a million levels', arrays(1_000_000), true],
    ['objects', '{"a":'.repeat(40) + '1' + '}'.repeat(40), true],
    ['many arrays side by side', `[${Array(100).fill('[[]]').join()}]`, false],
    ['brackets in a string', JSON.stringify('['.repeat(100)), false],
    ['brackets after a quote in a string', JSON.stringify(`"${'['.repeat(100)}`), false],
    ['brackets after a string that ends in a backslash', `["\\\\",${arrays(40)}]`, true],
    ['characters of several bytes', JSON.stringify(['é🍁', '['.repeat(100)]), false],
    ['an empty text', '', false],
  ])('judges a text as a string and as bytes: %s', (_name, json, expected) => {
    expect(isNestedTooDeeply(json)).toBe(expected);
    expect(isNestedTooDeeply(bytes(json))).toBe(expected);
  });
});
