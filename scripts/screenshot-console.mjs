/**
 * Writes the pictures of the console and of the sandbox's own pages that the documents show, from the built code:
 * `npm run build` first, then `node scripts/screenshot-console.mjs`. Needs Chromium or Chrome on PATH, and takes two minutes.
 */
import { emptyFolder, shoot, startBrowser } from './pictures/browser.mjs';
import { playDay, setScene } from './pictures/scene.mjs';

/** @typedef {Pick<import('playwright-core').BrowserContextOptions, 'viewport' | 'colorScheme'>} Look */

/** @type {Look} */
const WIDE = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' };
/** @type {Look} */
const DARK = { ...WIDE, colorScheme: 'dark' };
/** @type {Look} */
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'light' };
/** The pages add the reader's own time to that in UTC. */
const TIME_ZONE = 'America/Toronto';

const sessionPath = ({ key }) => `/sessions/${encodeURIComponent(key)}`;

async function main() {
  const [ofConsole, ofSandbox] = [await emptyFolder('console'), await emptyFolder('sandbox')];
  const scene = await setScene();
  const browser = await startBrowser();
  const { sandboxUrl } = scene;
  let consoleUrl = await scene.openConsole();

  /**
   * A picture of a page; `act` is what is done on it before.
   *
   * @param {string} folder
   * @param {string} name
   * @param {string} url
   * @param {{ look?: Look, language?: string, act?: (page: import('playwright-core').Page) => Promise<unknown>, fullPage?: boolean }} [options]
   */
  const take = async (folder, name, url, { look = WIDE, language = 'en', act, fullPage } = {}) => {
    const context = await browser.newContext({ ...look, locale: `${language}-CA`, timezoneId: TIME_ZONE });
    try {
      const page = await context.newPage();
      await page.goto(url);
      await act?.(page);
      await shoot(page, folder, name, { fullPage });
    } finally {
      await context.close();
    }
  };
  const takeConsole = (name, path, options) => take(ofConsole, name, consoleUrl + path, options);

  try {
    await takeConsole('overview-empty', '/', { act: counted });
    const { parked, found, resolved, open } = await playDay(scene);
    // The first console still remembers the empty day.
    consoleUrl = await scene.openConsole();
    const overview = { act: counted };
    await takeConsole('overview', '/', overview);
    await takeConsole('overview-dark', '/', { ...overview, look: DARK });
    await takeConsole('overview-narrow', '/', { ...overview, look: NARROW });
    await takeConsole('overview-french', '/', { ...overview, language: 'fr' });
    const list = { act: matched };
    await takeConsole('sessions', '/sessions', list);
    await takeConsole('sessions-narrow', '/sessions', { ...list, look: NARROW });
    await takeConsole('sessions-french', '/sessions', { ...list, language: 'fr' });
    await takeConsole('session-parked', sessionPath(parked));
    await takeConsole('session-narrow', sessionPath(parked), { look: NARROW });
    await takeConsole('session-french', sessionPath(parked), { language: 'fr' });
    await takeConsole('session-decided', sessionPath(resolved), { look: DARK });
    await takeConsole('session-open', sessionPath({ key: open }));
    await takeConsole('session-failing', sessionPath({ key: 'trip-501' }));
    await takeConsole('cancel', `${sessionPath({ key: open })}/cancel`);
    await takeConsole('cancel-french', `${sessionPath({ key: open })}/cancel`, { language: 'fr' });
    await takeConsole('adopt', `${sessionPath(found)}/adopt`, { act: adopting(found, false) });
    await takeConsole('mismatch-french', `${sessionPath(parked)}/adopt`, {
      act: adopting(found, false),
      language: 'fr',
    });
    await takeConsole('adopted', `${sessionPath(found)}/adopt`, { act: adopting(found, true) });
    await takeConsole('personal-data', `${sessionPath({ key: open })}/reveal`, { act: revealing });
    await takeConsole('not-found-french', '/sessions/no-such-key', { language: 'fr' });

    const sessionOf = scene.sandbox.calls.findLast(({ route }) => route === 'create').sessionId;
    await take(ofSandbox, 'overview', sandboxUrl, { fullPage: false });
    await take(ofSandbox, 'overview-dark', sandboxUrl, { look: DARK, fullPage: false });
    await take(ofSandbox, 'session', `${sandboxUrl}/sessions/${sessionOf}`, { fullPage: false });
    await take(ofSandbox, 'outbox', `${sandboxUrl}/outbox`, { fullPage: false });

    await scene.stopWorker();
    await takeConsole('worker-lost', sessionPath({ key: open }));
  } finally {
    await browser.close();
    await scene.stop();
  }
}

/** Counts come when they are there. */
const counted = (page) =>
  page.waitForFunction(() => !/Still counting|Décompte en cours/.test(globalThis.document.body.textContent));

/** So does how many sessions match. */
const matched = (page) => page.getByText(/^\d+ sessions (match|correspondent)$/).waitFor();

/** Looks at a session by its id; sends the decision where the payment service says that it is the one. */
const adopting =
  ({ sessionId }, isSent) =>
  async (page) => {
    const send = () => Promise.all([page.waitForNavigation(), page.click('main form button')]);
    await page.fill('[name=sessionId]', sessionId);
    await send();
    if (!isSent) return;
    await page.fill('[name=reason]', 'Found by its reference, amount and time');
    await send();
  };

const revealing = async (page) => {
  await page.fill('[name=reason]', 'The payor asks which email address we have');
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
};

await main();
