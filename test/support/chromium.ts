import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium or Chrome on PATH. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** Tests that need a browser, which is started once for all of them; a test that says so is skipped where there is none. */
export function describeInBrowser(name: string, define: (browser: () => Browser) => void): void {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    const needs = `needs Chromium or Chrome on PATH, under one of the names ${NAMES.join(', ')}`;
    process.stderr.write(`Skipped: ${name} ${needs}.\n`);
    describe(name, () => {
      test.skip(needs, () => undefined);
    });
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchChromium(executablePath);
    });
    afterAll(async () => {
      await browser?.close();
    });
    define(() => {
      if (browser === undefined) throw new Error('the browser has not started');
      return browser;
    });
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
