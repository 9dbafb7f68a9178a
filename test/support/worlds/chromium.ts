import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, test } from '@jest/globals';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';

/** The shell without a window needs a quarter less of a processor. */
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

/** Ten times what a step takes on a busy machine: half a minute, as Playwright has it, was once too short. */
const STEP_WITHIN_MS = 120_000;

/** Chromium or Chrome on PATH. */
function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** Opens a browser without data of another one. It closes after the test. */
type OpenAnother = (options?: BrowserContextOptions) => Promise<BrowserContext>;

/**
 * Declares tests that need a browser, which starts once for all of them. They are skipped if there is none. Pages
 * close after each test.
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
      // A page that stays open and blank, so that the tests' pages need not start a window and a process, a third of
      // their time.
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
