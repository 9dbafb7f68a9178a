import type { Page } from 'playwright-core';
import { pathOf } from './console-site';

/** A person’s decision about a session, given by the texts of the buttons. */
export interface Decided {
  /** The button on the session's page. */
  readonly act: string;
  /** The button that confirms it. */
  readonly confirm: string;
  readonly reason: string;
  /** The session to adopt. */
  readonly sessionId?: string;
}

/** Makes a decision: begins on the session’s page, and waits for the outcome. */
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

/** Returns the names and values of the fields in the page’s confirmation form. */
export const formOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`Object.fromEntries(new FormData(document.querySelector('main form')))`);

/** Sends a form as a script in the page would. Returns the response’s status. */
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
