import { expect, test } from '@jest/globals';
import { compiled, typeScriptSnippets } from './snippets';

test('every TypeScript snippet of the README and the docs compiles as it is printed', async () => {
  const snippets = typeScriptSnippets();
  expect(snippets.size).toBeGreaterThan(9);
  expect(await compiled(snippets)).toBe('');
}, 120_000);
