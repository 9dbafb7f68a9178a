import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** Attacks by injected markup. The keys are the directives of the Content-Security-Policy that block them. */
const ATTEMPTS = {
  'script-src-elem': `add('script', { textContent: 'window.ran = true' })`,
  'img-src': `add('img', { src: 'http://127.0.0.1:9/x.png' })`,
  'style-src-elem': `add('style', { textContent: 'body { display: none }' })`,
  'base-uri': `add('base', { href: 'http://127.0.0.1:9/' })`,
  'connect-src': `fetch('http://127.0.0.1:9/').catch(() => undefined)`,
  // The last one, because a successful attack would navigate away.
  'form-action': `add('form', { action: 'http://127.0.0.1:9/', method: 'post' }).submit()`,
} as const;

/** Expects that the page’s Content-Security-Policy blocks all these attacks. */
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
