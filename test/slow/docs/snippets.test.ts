import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compiled, filesOf, ROOT, snippetsOf, typeScriptSnippets } from '../../support/docs/snippets';

test('every TypeScript snippet of the README and the docs compiles as printed', async () => {
  const snippets = typeScriptSnippets();
  expect(snippets.size).toBeGreaterThan(9);
  expect(await compiled(snippets)).toBe('');
});

test('the guide to webhooks prints the complete receiver of the example', () => {
  const printed = snippetsOf('docs/guides/webhooks.md').map(({ code }) => code);
  expect(printed).toContain(readFileSync(join(ROOT, 'examples', 'webhook-receiver', 'receiver.ts'), 'utf8'));
});

test('the guide to other languages prints the complete Python example', () => {
  const printed = filesOf('docs/guides/other-languages.md').get('take_payment.py');
  expect(printed).toBe(readFileSync(join(ROOT, 'examples', 'python', 'take_payment.py'), 'utf8'));
});
