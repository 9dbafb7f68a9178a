import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { leftOpen } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { until } from '../../support/wait';
import { connectByLine } from '../../support/worlds/line';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';
import { workerProcess } from '../../support/worlds/worker-process';
import { pathOf, serveSite, useGuardedSite, useSite } from '../../browser/console/support/console-site';
import { goTo } from '../../browser/console/support/desk';

/** The time within which a lost part must be reported. */
const SOON = { timeout: 5_000 };

/** Long enough to open three pages on a slow machine. */
const LOGIN_LASTS_MS = 20_000;

const TEMPORAL_LOST = /^The Temporal server has not answered since/;
const WORKER_LOST = /^No worker has answered since/;
const CONNECTION_LOST = /^Connection lost at/;
const LOGIN_ENDED = /^Your login has ended/;

// A Temporal server of its own, because the list shows only the newest sessions, and other tests open many.
const temporal = useTemporalServer();
const world = useWorld(() => ({ temporalAddress: temporal.address }));
const site = useSite(world);
const guarded = useGuardedSite(world, LOGIN_LASTS_MS);

const banner = (page: Page, text: RegExp) => page.locator('[data-connection]').filter({ hasText: text });

const untilReported = (pages: readonly Page[], text: RegExp) =>
  Promise.all(pages.map((page) => banner(page, text).waitFor(SOON)));

const untilRecovered = (pages: readonly Page[]) =>
  Promise.all(pages.map((page) => page.locator('[data-connection]').waitFor({ state: 'hidden' })));

/** Adds an element to the page's first content. The element disappears when the server sends the content again. */
const MARK_UNHEARD = `document.addEventListener('DOMContentLoaded', () => {
  const mark = Object.assign(document.createElement('i'), { id: 'unheard' });
  document.querySelector('[data-live]')?.append(mark);
})`;

/** Opens the overview, the list and a session's page. Waits until each page has received its first update from the server. */
async function openPages(context: BrowserContext, url: string, key: string): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (const path of ['/', '/sessions', pathOf(key)]) {
    const page = await context.newPage();
    await page.addInitScript(MARK_UNHEARD);
    await page.goto(url + path);
    await page.locator('#unheard').waitFor({ state: 'detached' });
    // If the page were loaded again, this variable would be gone.
    await page.evaluate('window.stays = true');
    pages.push(page);
  }
  const [, ...withKey] = pages;
  await Promise.all(withKey.map((page) => page.locator('main').getByText(key).first().waitFor()));
  return pages;
}

async function expectStayed(pages: readonly Page[]): Promise<void> {
  for (const page of pages) expect(await page.evaluate('window.stays')).toBe(true);
}

describeInBrowser(
  'an open console page reports a loss within 5 s and recovers by itself',
  (browser, another) => {
    // The Temporal server still lists a killed worker for a while.
    test('if the worker is killed', async () => {
      await world.stopWorker();
      const doomed = workerProcess(world);
      await doomed.line(/^working/);
      const { session } = await world.sessions.open(world.input(leftOpen()));
      const pages = await openPages(browser(), site.url, session.key);
      const [, , own] = pages;
      doomed.child.kill('SIGKILL');
      await untilReported(pages, WORKER_LOST);
      await own?.getByText('No worker answers for this session').waitFor(SOON);
      await own?.getByText('The payor can pay but has not done so yet.').waitFor();
      await world.startWorker();
      await untilRecovered(pages);
      await own?.getByText('No worker answers for this session').waitFor({ state: 'detached' });
      await expectStayed(pages);
      await session.cancelAndWait();
    });

    test('if the Temporal server is lost, and the console restarts meanwhile', async () => {
      const { line, connection, clients } = await connectByLine(world);
      const { session } = await world.sessions.open(world.input(leftOpen()));
      let lost = await serveSite(clients);
      try {
        const pages = await openPages(browser(), lost.url, session.key);
        const [, , own] = pages;
        await line.cut();
        await untilReported(pages, TEMPORAL_LOST);
        await own?.getByText('Last known state:').waitFor(SOON);

        const asked: Page[] = [];
        for (const path of ['/', '/sessions', pathOf(session.key)]) {
          const page = await browser().newPage();
          const beganAtMs = Date.now();
          await page.goto(lost.url + path);
          expect([path, Date.now() - beganAtMs < SOON.timeout]).toEqual([path, true]);
          await page.getByText('The Temporal server does not answer').first().waitFor(SOON);
          asked.push(page);
        }

        const { port } = new URL(lost.url);
        await lost.close();
        await untilReported(pages, CONNECTION_LOST);
        await line.restore();
        lost = await serveSite(clients, { port: Number(port) });
        await untilRecovered(pages);
        await expectStayed(pages);
        const [overview, list, asOwn] = asked;
        await overview?.getByRole('heading', { name: 'Waiting for a decision' }).waitFor();
        await list?.getByRole('link', { name: session.key }).waitFor();
        await asOwn?.getByText('The payor can pay but has not done so yet.').waitFor();
      } finally {
        await lost.close();
        await connection.close();
        await line.cut();
        await session.cancelAndWait();
      }
    });

    test('if the login ends', async () => {
      const { session } = await world.sessions.open(world.input(leftOpen()));
      guarded.become('Robin', 'operator');
      const context = await another();
      const pages = await openPages(context, guarded.url, session.key);
      const confirming = await context.newPage();
      await goTo(confirming, guarded, session.key, '/cancel');
      await confirming.getByLabel('Reason').fill('ordered by mistake');
      await Promise.all(
        pages.map((page) => banner(page, LOGIN_ENDED).waitFor({ timeout: LOGIN_LASTS_MS + SOON.timeout })),
      );
      // On a slow machine, the browser may have logged in again meanwhile. So the test waits until the login has ended.
      const hasLogin = async () =>
        (await context.request.get(`${guarded.url}/sessions`, { maxRedirects: 0 })).status() === 200;
      await until(hasLogin, (has) => !has);
      await confirming.getByRole('button', { name: 'Cancel the session' }).click();
      await confirming.getByRole('heading', { name: 'Log in again' }).waitFor();
      expect((await session.state()).decisions).toEqual([]);

      await confirming.getByRole('link', { name: 'Log in' }).click();
      await confirming.getByRole('heading', { name: 'Cancel this session?' }).first().waitFor();
      await untilRecovered(pages);
      await expectStayed(pages);
      await session.cancelAndWait();
    });
  },
);
