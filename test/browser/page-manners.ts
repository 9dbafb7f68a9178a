import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** A narrow phone, as 400 % zoom makes of a desktop (WCAG 1.4.10). */
const NARROW = { width: 320, height: 640 };

const WIDE = { width: 1_280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** What axe-core looks for: all that it knows by itself and the sizes of targets, or what depends on colours. */
const ALL = `{ rules: { 'target-size': { enabled: true } } }`;
const COLOURS = `{ runOnly: ['color-contrast', 'link-in-text-block'] }`;

/** Each width in each colour scheme, in an order in which one of them changes at a time. */
const LOOKS = [
  { size: WIDE, colorScheme: 'light', rules: ALL },
  { size: WIDE, colorScheme: 'dark', rules: COLOURS },
  { size: PHONE, colorScheme: 'dark', rules: ALL },
  { size: PHONE, colorScheme: 'light', rules: COLOURS },
] as const;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds. What it has looked at stays in the page: to bring that here takes ten times as long as to look. */
const findingsOf = (rules: string): string =>
  `axe.run({ ...${rules}, resultTypes: ['violations'], preload: false }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** If the page is wider than its window, the innermost elements that may be why. */
const TOO_WIDE = `document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth ? [] :
  [...document.querySelectorAll('body *')]
    .map((element) => [element.tagName, element.className, element.getBoundingClientRect().right, element.scrollWidth - element.clientWidth])
    .filter(([, , right, over]) => right > document.scrollingElement.clientWidth || over > 0)`;

/**
 * Expects that axe-core finds nothing on a page, and that nothing is wider than the window: on a desktop and on a phone, each
 * in light and in dark; and that the page fits the narrowest phone.
 */
export async function expectGoodInEveryLook(page: Page): Promise<void> {
  for (const { size, colorScheme, rules } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    expect({ size, colorScheme, faults: await faultsOf(page, rules) }).toEqual({
      size,
      colorScheme,
      faults: [],
    });
  }
  await page.setViewportSize(NARROW);
  expect({ size: NARROW, faults: await page.evaluate(TOO_WIDE) }).toEqual({ size: NARROW, faults: [] });
}

async function faultsOf(page: Page, rules: string): Promise<readonly unknown[]> {
  // Content that is set anew leaves it there, where a page that is gone to does not.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  return page.evaluate<readonly unknown[]>(
    `${findingsOf(rules)}.then((found) => [...found, ...(${TOO_WIDE})])`,
  );
}
