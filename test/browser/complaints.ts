import type { Page } from 'playwright-core';

/** Returns a growing list of the browser’s complaints about a page: blocked scripts and styles, failed loads, errors and dialogs. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  return complaints;
}
