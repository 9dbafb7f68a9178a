import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { html, Html } from '../../../src/web/html';
import { moment } from '../../../src/web/shell/time';
import { describeInBrowser } from '../../support/worlds/chromium';
import { LiveSite } from './live-site';

/** The maximum wait for a change. `test/timing/console` checks that pages change within five seconds. */
const SOON = { timeout: 60_000 };

describeInBrowser('a live page', (browser, another) => {
  let site: LiveSite;
  beforeEach(async () => {
    site = new LiveSite();
    await site.start();
  });
  afterEach(() => site.stop());

  const open = async (context: BrowserContext = browser()): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(site.url);
    await site.watched();
    return page;
  };
  const banner = (page: Page, text: RegExp | string) => page.getByRole('status').filter({ hasText: text });
  const noBanner = (page: Page) => page.locator('[data-connection]').waitFor({ state: 'hidden', ...SOON });

  test('replaces its content by each new content from the server', async () => {
    const page = await open();
    site.send(['fragment', '<p id="shown">second\nline</p>']);
    await page.getByText('second line').waitFor(SOON);
    expect(await page.getByText('first').count()).toBe(0);
    await noBanner(page);
  });

  test('keeps the focus and opened details when its content is replaced', async () => {
    const part = (text: string) =>
      html`<details>
          <summary>${text}</summary>
          <p>inside</p>
        </details>
        <a href="#a">one</a> <a href="#b">two</a>`;
    site.content = part('before');
    const page = await open();
    await page.getByText('before').click();
    await page.getByRole('link', { name: 'two' }).focus();
    site.send(['fragment', part('after').text]);
    await page.getByText('after').waitFor(SOON);
    expect(await page.getByText('inside').isVisible()).toBe(true);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('two');
  });

  test('does not run script code in an event', async () => {
    const page = await open();
    site.send(['fragment', new Html('<img src="x" onerror="document.title = 1"><p>sent</p>').text]);
    await page.getByText('sent').waitFor(SOON);
    expect(await page.title()).toBe('Live – paysession');
  });

  test('shows that the server is gone, and continues once the server is back', async () => {
    const page = await open();
    await site.stop();
    await banner(page, /^Connection lost at \d\d:\d\d:\d\d; trying again$/).waitFor(SOON);
    await site.start();
    await noBanner(page);
    site.send(['fragment', '<p>again</p>']);
    await page.getByText('again').waitFor(SOON);
  });

  test('shows that the server is silent, and continues with the server’s next event', async () => {
    const page = await open();
    site.beats = false;
    await banner(page, /^Connection lost/).waitFor(SOON);
    site.beats = true;
    await noBanner(page);
  });

  test.each([
    [
      'says so',
      () => {
        site.send(['loginEnded']);
      },
    ],
    [
      'drops the stream and refuses the next one',
      () => {
        site.drop();
      },
    ],
  ])(
    'shows that the login has ended if the server %s, and recovers with a new login',
    async (_how, leave) => {
      const page = await open();
      site.status = 401;
      leave();
      const ended = banner(page, 'Your login has ended. Log in again');
      await ended.waitFor(SOON);
      expect(await ended.getByRole('link').getAttribute('href')).toBe(site.url);
      site.status = 200;
      await noBanner(page);
    },
  );

  test('shows in its own language that the Temporal server or the worker is lost', async () => {
    site.language = 'FR';
    const page = await open();
    site.send(['workerLost']);
    await banner(page, /^Aucun worker/).waitFor(SOON);
    site.send(['temporalLost']);
    await banner(page, /^Le serveur Temporal ne répond plus/).waitFor(SOON);
    site.send(['back']);
    await noBanner(page);
  });

  test('shows the reader’s local time next to UTC', async () => {
    site.content = moment('2026-03-01T02:00:00Z');
    const page = await open(await another({ timezoneId: 'America/Toronto' }));
    expect(await page.locator('time').innerText()).toMatch(
      /^2026-03-01 02:00:00 UTC\s+2026-02-28 21:00:00 your time$/,
    );
  });

  test('is complete without scripts', async () => {
    const page = await (await another({ javaScriptEnabled: false })).newPage();
    await page.goto(site.url);
    await page.getByText('first').waitFor();
    await noBanner(page);
  });
});
