import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, test } from '@jest/globals';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';

/** The names under which the browser is searched. The shell is first: it has no window, and needs a quarter less processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Ten times the duration of a step on a busy machine. Playwright’s default of 30 seconds was too short. */
const STEP_WITHIN_MS = 120_000;

/** Returns the path of Chromium or Chrome if one is on PATH. */
function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** Opens a separate browser context with its own cookies and storage. It closes after the test. */
type OpenAnother = (options?: BrowserContextOptions) => Promise<BrowserContext>;

/**
 * Declares tests that need a browser. The browser starts once for all of them, and pages close after each test. If the machine has no
 * browser, the tests are skipped.
 */
export function describeInBrowser(
  name: string,
  define: (browser: () => BrowserContext, another: OpenAnother) => void,
): void {
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
    let context: BrowserContext | undefined;
    const others: BrowserContext[] = [];
    beforeAll(async () => {
      browser = await launchChromium(executablePath);
      context = await browser.newContext();
      context.setDefaultTimeout(STEP_WITHIN_MS);
      // A blank page that stays open. Without it, each page of a test would start a new window and process, which takes a third of the
      // page’s time.
      await context.newPage();
    });
    afterEach(async () => {
      const [, ...pages] = context?.pages() ?? [];
      await Promise.all([...pages, ...others.splice(0)].map((each) => each.close()));
    });
    afterAll(async () => {
      await browser?.close();
    });
    define(
      () => started(context),
      async (options) => {
        const other = await started(browser).newContext(options);
        other.setDefaultTimeout(STEP_WITHIN_MS);
        others.push(other);
        return other;
      },
    );
  });
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the browser has not started');
  return value;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
