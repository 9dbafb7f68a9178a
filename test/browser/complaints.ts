import type { Page } from 'playwright-core';

/**
 * Collects the browser's complaints from now on: blocked scripts and styles, failed loads, uncaught errors, dialogs.
 */
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
