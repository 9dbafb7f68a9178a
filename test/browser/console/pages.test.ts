import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import type { PaymentSessionHandle } from '../../../src';
import type { PaymentLedger } from '../../../ledger';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';
import { textsOf } from '../../../console/texts';
import { badge } from '../../../src/web/shell/parts';
import { testLedger } from '../../support/ledger/test-ledger';
import { park } from '../../support/park';
import { PAID } from '../../support/ledger/recorded-payment';
import { reconcileWhole } from '../../support/ledger/reconciliation-files';
import { completing, eTransfer, geft, leftOpen, leftUnsigned, overTheLimit } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { describeInBrowser } from '../../support/worlds/chromium';
import { connectByLine } from '../../support/worlds/line';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectGoodInEveryLook } from '../page-manners';
import { pathOf, serveSite, useGuardedSite } from './support/console-site';

const world = useWorld();
const site = useGuardedSite(world);

const LOCALES = ['en-CA', 'fr-CA'] as const;

/** A long account name without spaces, with wide letters. */
const LONG_ACCOUNT = 'westMontrealCommerceAndMarketing';
const LONG_REFERENCE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LONG = 'a-key-of-many-letters-without-any-space-in-it-'.repeat(4);

/** Matches the overview’s text that stands there until the figures arrive. */
const COUNTING = /Still counting|Décompte en cours/;

const TEMPORAL_LOST = /The Temporal server does not answer|Le serveur Temporal ne répond pas/;

const languageOf = (page: Page): Promise<string> => page.evaluate('document.documentElement.lang');

/** Records in a ledger that a session was paid, and that its money came back. */
async function recordReturned(ledger: PaymentLedger, session: PaymentSessionHandle): Promise<void> {
  const claim = await claimOf(session);
  const { firstRunId, at } = claim;
  const { sessionId = '' } = await session.state();
  await ledger.recordEnded(claim, [
    { kind: 'opened', at, sessionId, how: 'create' },
    { kind: 'ended', at, firstRunId, ...PAID, leftNothing: false },
  ]);
  const day = at.slice(0, 'yyyy-mm-dd'.length);
  await reconcileWhole(ledger, `session,amount,date,kind,code\n${sessionId},25.00,${day},returned,901\n`);
}

/** Returns the HTML of badges for all problems that a session may have. */
const badgesOfProblems = (locale: (typeof LOCALES)[number]): string =>
  Object.values(textsOf(locale === 'en-CA' ? 'EN' : 'FR').problems)
    .map(({ name }) => badge(name, 'attention').text)
    .join(' ');

/** True for the browser’s console message about a page with an error status. Such messages are expected here. */
const ofStatus = (complaint: string): boolean =>
  /Failed to load resource.*status of 4|status of 503/.test(complaint);

/** Starts an open, a parked, an unsigned and other sessions, so that the pages show all kinds. */
async function sessionsOfEverySort() {
  const { session: parked } = await park(world);
  const open = { ...world.input(leftOpen()), key: `${LONG}${world.taskQueue.slice(-8)}` };
  const [, paid, unsigned, refused] = await Promise.all([
    world.sessions.open(open),
    world.sessions.start(world.input(completing())),
    world.sessions.start(world.input(leftUnsigned(geft), { padSignatureDeadline: '1h' })),
    world.sessions.start(world.input(overTheLimit())),
  ]);
  const cancelled = await world.sessions.start(world.input(leftOpen()));
  await cancelled.cancelAndWait({ by: 'Robin', reason: 'ordered by mistake, and asked for it twice' });
  await paid.result();
  await refused.result().catch(() => undefined);
  await stateOf(unsigned, ({ code }) => code === 'EFT0302');
  const opened = world.sessions.get(open.key);
  return { parked, open: opened, paid, unsigned, all: [parked, opened, paid, unsigned, refused, cancelled] };
}

/** Returns a session's claim for a ledger. */
async function claimOf({ key, workflowId }: PaymentSessionHandle): Promise<LedgerClaim> {
  const { runId } = await world.client.workflow.getHandle(workflowId).describe();
  const at = new Date().toISOString();
  return { key, fingerprint: 'same', firstRunId: runId, account: 'default', request: leftOpen(), at };
}

const sorts = use(sessionsOfEverySort, async ({ open, parked, unsigned }) => {
  await Promise.all([open.cancelAndWait(), parked.resolveCreate({ abandon: true })]);
  await world.client.workflow.getHandle(unsigned.workflowId).terminate();
});

describeInBrowser('every page', (_browser, another) => {
  test.each(LOCALES)(
    '%s: axe-core finds no violation, nothing is too wide, and the browser reports no error, at all widths, in light and dark',
    async (locale) => {
      site.become('Robin', 'operator');
      const context = await another({ locale });
      const { page, complaints } = await openPage(context, '/');
      const paths = [
        '/',
        '/sessions',
        `/sessions?q=${sorts.parked.key}`,
        '/sessions?q=nothing-of-the-kind',
        '/sessions?phase=open&status=x',
        '/bulk/cancel?phase=open',
        `/bulk/results/${sorts.open.key.slice(-8)}`,
        ...sorts.all.map(({ key }) => pathOf(key)),
        ...['cancel', 'refresh', 'reveal'].map((act) => pathOf(sorts.open.key, `/${act}`)),
        ...['adopt', 'retry', 'abandon'].map((act) => pathOf(sorts.parked.key, `/${act}`)),
      ];
      for (const path of paths) {
        await page.goto(site.url + path);
        await page.getByText(COUNTING).first().waitFor({ state: 'detached' });
        expect([path, await languageOf(page)]).toEqual([path, locale.slice(0, 2)]);
        await expectGoodInEveryLook(page);
      }
      await page.goto(site.url + pathOf(sorts.open.key, '/reveal'));
      await page.locator('textarea').fill('asked which address we have');
      await page.locator('main form button').click();
      await page.getByText('Avery').first().waitFor();
      await expectGoodInEveryLook(page);
      expect(complaints).toEqual([]);
    },
  );

  test.each(LOCALES)(
    '%s: with a ledger, all columns of the lists of sessions and payments fit in 1280 pixels',
    async (locale) => {
      const { ledger } = await testLedger();
      await world.sessions.open(world.input(eTransfer(LONG_REFERENCE)));
      const { session: abandoned } = await park(world);
      await abandoned.resolveCreate({ abandon: true });
      const elsewhere = await world.sessions.start({ ...world.input(leftOpen()), account: LONG_ACCOUNT });
      await elsewhere.cancelAndWait();
      await Promise.all(sorts.all.map(async (session) => ledger.claim(await claimOf(session))));
      await ledger.claim({ ...(await claimOf(elsewhere)), account: LONG_ACCOUNT });
      await recordReturned(ledger, sorts.paid);
      const { client, sessions, taskQueue } = world;
      const own = await serveSite({ client, sessions, taskQueue, ledger });
      try {
        const context = await another({ locale, viewport: { width: 1280, height: 800 } });
        const { page } = await openPage(context, '/', own.url);
        const shown = () => page.locator('tbody .key').count();
        await until(
          async () => {
            await page.goto(`${own.url}/sessions`);
            return shown();
          },
          // A page of the list has at most 50 sessions. Sessions of other tests count, too.
          (count) => count >= Math.min(sorts.all.length, 50),
        );
        for (const path of ['/sessions', '/payments']) {
          await page.goto(own.url + path);
          await page.getByRole('columnheader', { name: /^(Ended|Fin)/ }).waitFor();
          await page.evaluate(
            `document.querySelector('td:has(.badge) > div').insertAdjacentHTML('beforeend', ${JSON.stringify(badgesOfProblems(locale))})`,
          );
          const tooWide = await page.evaluate<number>(
            "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table'))",
          );
          expect([path, tooWide]).toEqual([path, 0]);
        }
      } finally {
        await own.close();
      }
    },
  );

  test.each(LOCALES)('%s: axe-core finds no violation on pages of errors and logouts', async (locale) => {
    site.become('Vic', 'viewer');
    const context = await another({ locale });
    const { page, complaints } = await openPage(context, '/nowhere');
    await expectGoodInEveryLook(page);
    for (const path of [
      '/sessions/no-such-session',
      '/sessions?kind=x',
      pathOf(sorts.parked.key, '/cancel'),
    ]) {
      await page.goto(site.url + path);
      await expectGoodInEveryLook(page);
    }
    await page.goto(site.url);
    await page.locator('header form button').click();
    await page.waitForURL(/logged-out/);
    await expectGoodInEveryLook(page);
    await page.goto(`${site.url}/login/callback?state=x&code=y`);
    await expectGoodInEveryLook(page);
    expect(complaints.filter((text) => !ofStatus(text))).toEqual([]);
  });

  test('requests live changes only once it is visible, if it was opened in a background tab', async () => {
    site.become('Robin', 'operator');
    const context = await another();
    await context.addInitScript("Object.defineProperty(document, 'hidden', { get: () => !window.shown })");
    const page = await context.newPage();
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.headers()['accept'] === 'text/event-stream') streams.push(request.url());
    });
    await page.goto(site.url);
    // The page’s script checks twice a second whether the page is visible.
    await page.waitForTimeout(1_200);
    expect(streams).toEqual([]);
    await page.evaluate("window.shown = true; document.dispatchEvent(new Event('visibilitychange'))");
    await until(
      () => Promise.resolve(streams.length),
      (count) => count > 0,
    );
  });

  test('has no axe-core violation while the Temporal server does not answer', async () => {
    const { line, connection, clients } = await connectByLine(world);
    const lost = await serveSite(clients);
    await line.cut();
    try {
      // Each page needs seconds to find out that the server is lost. So all pages are opened at the same time.
      const asked = LOCALES.flatMap((locale) => ['/', pathOf('any')].map((path) => ({ locale, path })));
      const pages = await Promise.all(
        asked.map(async ({ locale, path }) => openPage(await another({ locale }), path, lost.url)),
      );
      for (const { page } of pages) {
        await page.getByText(TEMPORAL_LOST).first().waitFor();
        await expectGoodInEveryLook(page);
      }
    } finally {
      await lost.close();
      await connection.close();
    }
  });
});

async function openPage(context: BrowserContext, path: string, url = site.url) {
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(url + path);
  return { page, complaints };
}
