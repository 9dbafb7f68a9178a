import type { Page } from 'playwright-core';
import { pathOf } from './console-site';

/** What somebody decides about a session, by the words on the page. */
export interface Decided {
  /** The button on the session's page. */
  readonly act: string;
  /** The button of its confirmation. */
  readonly confirm: string;
  readonly reason: string;
  /** The session to adopt. */
  readonly sessionId?: string;
}

/** From a session's page to what came of the decision. */
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

/** The fields of the confirmation that a page shows, as they would be sent. */
export const formOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`Object.fromEntries(new FormData(document.querySelector('main form')))`);

/** Sends a form from within a page, as a script there would; gives the status. */
export const sendFrom = (
  page: Page,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<number> =>
  page.evaluate(
    `fetch(${JSON.stringify(url)}, { method: 'POST', body: new URLSearchParams(${JSON.stringify(fields)}) })
      .then(({ status }) => status)`,
  );

/** The page of a session, or one below it. */
export const goTo = (page: Page, site: { readonly url: string }, key: string, below = '') =>
  page.goto(site.url + pathOf(key, below));
