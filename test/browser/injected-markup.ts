import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** Attempts of injected markup, by the directive of the Content-Security-Policy that blocks them. */
const ATTEMPTS = {
  'script-src-elem': `add('script', { textContent: 'window.ran = true' })`,
  'img-src': `add('img', { src: 'http://127.0.0.1:9/x.png' })`,
  'style-src-elem': `add('style', { textContent: 'body { display: none }' })`,
  'base-uri': `add('base', { href: 'http://127.0.0.1:9/' })`,
  'connect-src': `fetch('http://127.0.0.1:9/').catch(() => undefined)`,
  // Last, because it would leave the page.
  'form-action': `add('form', { action: 'http://127.0.0.1:9/', method: 'post' }).submit()`,
} as const;

/** Expects that the page's policy blocks every attempt of injected markup to run, load or send something. */
export async function expectMarkupBlocked(page: Page): Promise<void> {
  const blocked = await page.evaluate<readonly string[]>(`new Promise((done) => {
    const blocked = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      blocked.push(effectiveDirective);
      if (blocked.length === ${Object.keys(ATTEMPTS).length}) done(blocked);
    });
    const add = (name, attributes) => {
      const element = Object.assign(document.createElement(name), attributes);
      document.body.append(element);
      return element;
    };
    ${Object.values(ATTEMPTS).join(';')};
  })`);
  expect([...blocked].sort()).toEqual(Object.keys(ATTEMPTS).sort());
  expect(await page.evaluate(`'ran' in window`)).toBe(false);
}
