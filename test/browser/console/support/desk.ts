import type { Page } from 'playwright-core';
import { pathOf } from './console-site';

/** A person's decision about a session, in the words of the page. */
export interface Decided {
  /** The button on the session's page. */
  readonly act: string;
  /** The button of its confirmation. */
  readonly confirm: string;
  readonly reason: string;
  /** The session to adopt. */
  readonly sessionId?: string;
}

/** Goes from a session's page to the outcome of the decision. */
export async function decide(page: Page, { act, confirm, reason, sessionId }: Decided): Promise<void> {
  await page.getByRole('link', { name: act, exact: true }).click();
  if (sessionId !== undefined) {
    await page.getByLabel('Payment service session id').fill(sessionId);
    await page.getByRole('button', { name: 'Look it up', exact: true }).click();
  }
  await page.getByLabel('Reason').fill(reason);
  await page.getByRole('button', { name: confirm, exact: true }).click();
  await page.waitForURL(/[?]done=/);
}

/** Returns the fields of the page's confirmation, in the form in which they would be sent. */
export const formOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`Object.fromEntries(new FormData(document.querySelector('main form')))`);

/** Sends a form from within a page, like a script there. Returns the status. */
export const sendFrom = (
  page: Page,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<number> =>
  page.evaluate(
    `fetch(${JSON.stringify(url)}, { method: 'POST', body: new URLSearchParams(${JSON.stringify(fields)}) })
      .then(({ status }) => status)`,
  );

/** Opens a session's page, or a page below it. */
export const goTo = (page: Page, site: { readonly url: string }, key: string, below = '') =>
  page.goto(site.url + pathOf(key, below));
