import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** A narrow phone, like a desktop at 400 % zoom (WCAG 1.4.10). */
const NARROW = { width: 320, height: 640 };

const WIDE = { width: 1_280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** The rules of axe-core: its default ones and the sizes of targets, or those that depend on colours. */
const ALL = `{ rules: { 'target-size': { enabled: true } } }`;
const COLOURS = `{ runOnly: ['color-contrast', 'link-in-text-block'] }`;

/** Each width in each colour scheme. Either the width or the scheme changes from one look to the next. */
const LOOKS = [
  { size: WIDE, colorScheme: 'light', rules: ALL },
  { size: WIDE, colorScheme: 'dark', rules: COLOURS },
  { size: PHONE, colorScheme: 'dark', rules: ALL },
  { size: PHONE, colorScheme: 'light', rules: COLOURS },
] as const;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns a script for the findings of axe-core. The checked nodes stay in the page, since transferring them takes ten times as
 * long as the check.
 */
const findingsOf = (rules: string): string =>
  `axe.run({ ...${rules}, resultTypes: ['violations'], preload: false }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** A script for the elements that may make the page wider than its window; empty if the page fits. */
const TOO_WIDE = `document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth ? [] :
  [...document.querySelectorAll('body *')]
    .map((element) => [element.tagName, element.className, element.getBoundingClientRect().right, element.scrollWidth - element.clientWidth])
    .filter(([, , right, over]) => right > document.scrollingElement.clientWidth || over > 0)`;

/**
 * Expects that axe-core finds nothing on a page, and that nothing is wider than the window: on a desktop and on a
 * phone, each in light and in dark. Also expects that the page fits the narrowest phone.
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
  // Setting the content again keeps axe-core in the page; a navigation does not.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  return page.evaluate<readonly unknown[]>(
    `${findingsOf(rules)}.then((found) => [...found, ...(${TOO_WIDE})])`,
  );
}
