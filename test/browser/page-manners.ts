import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** The window of a narrow phone. It equals a desktop window at 400 % zoom (WCAG 1.4.10). */
const NARROW = { width: 320, height: 640 };

const WIDE = { width: 1_280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Two sets of axe-core rules: the default rules with the rule about target sizes, and only the rules about colours. */
const ALL = `{ rules: { 'target-size': { enabled: true } } }`;
const COLOURS = `{ runOnly: ['color-contrast', 'link-in-text-block'] }`;

/** Each window size in each colour scheme. From one look to the next, only one of the two changes. */
const LOOKS = [
  { size: WIDE, colorScheme: 'light', rules: ALL },
  { size: WIDE, colorScheme: 'dark', rules: COLOURS },
  { size: PHONE, colorScheme: 'dark', rules: ALL },
  { size: PHONE, colorScheme: 'light', rules: COLOURS },
] as const;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns a script that returns axe-core’s violations as short texts. It does not return the checked nodes: transferring them takes
 * ten times as long as the check.
 */
const findingsOf = (rules: string): string =>
  `axe.run({ ...${rules}, resultTypes: ['violations'], preload: false }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** A script that returns the elements that are wider than the window, or an empty list if the page fits. */
const TOO_WIDE = `document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth ? [] :
  [...document.querySelectorAll('body *')]
    .map((element) => [element.tagName, element.className, element.getBoundingClientRect().right, element.scrollWidth - element.clientWidth])
    .filter(([, , right, over]) => right > document.scrollingElement.clientWidth || over > 0)`;

/**
 * Expects that axe-core finds no violation on a page, and that nothing is wider than the window. Checks a desktop and a phone, each in
 * light and dark. Also expects that the page fits the narrowest phone.
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
  // After a navigation, axe-core must be loaded again. After `setContent`, it is still there.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  return page.evaluate<readonly unknown[]>(
    `${findingsOf(rules)}.then((found) => [...found, ...(${TOO_WIDE})])`,
  );
}
