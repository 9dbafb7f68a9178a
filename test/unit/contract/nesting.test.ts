import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../../src/contract';
import { testSeed } from '../../support/seed';

const arrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('a JSON text', () => {
  test.each([
    ['arrays', arrays],
    ['objects', objects],
  ])('of %s may be nested to the limit, and not deeper', (_name, nested) => {
    expect(isNestedTooDeeply(nested(MAX_JSON_DEPTH))).toBe(false);
    expect(isNestedTooDeeply(nested(MAX_JSON_DEPTH + 1))).toBe(true);
  });

  test('of a million levels is judged without a crash', () => {
    expect(isNestedTooDeeply(arrays(1_000_000))).toBe(true);
  });

  test('may have any number of brackets in its strings', () => {
    const brackets = '[{'.repeat(100);
    expect(isNestedTooDeeply(JSON.stringify({ [brackets]: `"\\${brackets}"` }))).toBe(false);
    expect(isNestedTooDeeply(JSON.stringify(['\\', ...Array<string>(100).fill('\\"[')]))).toBe(false);
  });

  test('may have any number of values side by side', () => {
    expect(isNestedTooDeeply(JSON.stringify(Array.from({ length: 10_000 }, () => [{}])))).toBe(false);
  });

  test('is nested too deeply exactly if its value is deeper than the limit', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat({ max: 40 }), (value, levels) => {
        const nested = Array.from({ length: levels }).reduce<unknown>((inner) => [inner], value);
        expect(isNestedTooDeeply(JSON.stringify(nested))).toBe(depthOf(nested) > MAX_JSON_DEPTH);
      }),
      { seed: testSeed() },
    );
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
