import { expect } from '@jest/globals';
import { source as axeSource } from 'axe-core';
import type { Page } from 'playwright-core';

/** A narrow phone, as 400 % zoom makes of a desktop (WCAG 1.4.10). */
export const NARROW = { width: 320, height: 640 };

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe-core finds on a page, in brief; nothing is best. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  // Content that is set anew leaves it there, where a page that is gone to does not.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate<{ readonly violations: readonly Violation[] }>(`axe.run()`);
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((node) => node.html).join(' ')}`,
  );
}

/** Whether the page is wider than its window, and the innermost elements that may be why. */
const tooWide = (page: Page) =>
  page.evaluate(`document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth ? [] :
    [...document.querySelectorAll('body *')]
      .map((element) => [element.tagName, element.className, element.getBoundingClientRect().right, element.scrollWidth - element.clientWidth])
      .filter(([, , right, over]) => right > document.scrollingElement.clientWidth || over > 0)`);

/** Expects that axe-core finds nothing, and that nothing is wider than the window. */
export async function expectGood(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
}
