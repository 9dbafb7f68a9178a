import { test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, eft, eTransfer } from '../../support/requests';
import { BrowserPayor } from '../browser-payor';
import type { ComingBack } from './support/merchant-site';
import { OPENED, type MerchantVisit } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';

// With one login attempt, a single wrong login fails the session.
const site = useMerchantSite({ maxLoginAttempts: 1 });

const URLS = [[], ['urlSuccess'], ['urlExit'], ['urlSuccess', 'urlExit']] as const;
const WAYS: readonly ComingBack[] = URLS.flatMap((urls) => [
  { mode: 'JsEvents' as const, urls },
  { mode: 'RedirectUri' as const, urls },
]);
const NAMED = WAYS.map((way) => [way.mode, way.urls.join(' and ') || 'no URL', way] as const);

const redirects = ({ mode, urls }: ComingBack, url: ComingBack['urls'][number]) =>
  mode === 'RedirectUri' && urls.includes(url);

const REQUEST = asking(eTransfer(), { showConsentScreen: false });

// A17, A56 and A61 are rules of the contract (docs/contract.md).

// At its end, the hosted flow returns control to the merchant: by a message to the page (JsEvents) or by a redirect (RedirectUri).
describeInBrowser('the return of control', (browser) => {
  test.each(NAMED)(
    'A17, A61 %s, %s: happens each time when the payor leaves, comes back and pays',
    async (_m, _u, way) => {
      const visit = await site().visit(browser(), REQUEST, { comingBack: way });
      const payor = await visit.payor();
      await payor.sees('Choose your bank');
      await payor.press('Leave without paying');
      const byRedirect = redirects(way, 'urlExit');
      await (byRedirect ? visit.isBackAt('urlExit') : visit.receivesEnds('EXIT'));
      await visit.expectRecorded('Initiated create');

      if (byRedirect) await visit.reopen();
      else await payor.view.getByRole('link', { name: 'Go back to it' }).click();
      const again = await visit.payor();
      await again.chooseBank();
      await again.logIn();
      await again.accept();
      if (redirects(way, 'urlSuccess')) await visit.isBackAt('urlSuccess');
      else await visit.receivesEnds(...(byRedirect ? [] : (['EXIT'] as const)), 'SUCCESS');
      await visit.expectRecorded('Initiated create', 'Completed poll');
    },
  );

  test.each(NAMED)(
    'A61 %s, %s: happens after a failure only once the payor leaves the page that shows the reason',
    async (_m, _u, way) => {
      const visit = await site().visit(browser(), REQUEST, { account: 'other', comingBack: way });
      const payor = await visit.payor();
      await payor.chooseBank();
      await payor.logIn('payor', 'wrong');
      await payor.sees('The payment could not be made');
      await visit.receivesEnds();
      await visit.expectRecorded('Initiated create');
      const byRedirect = redirects(way, 'urlExit');
      await payor.view
        .getByRole(byRedirect ? 'link' : 'button', { name: 'Back to the merchant', exact: true })
        .click();
      await (byRedirect ? visit.isBackAt('urlExit') : visit.receivesEnds('EXIT'));
      await visit.expectRecorded('Initiated create', 'Failed poll');
    },
  );

  test('A56, A61 RedirectUri: leads to urlExit from an unsigned agreement, and to urlSuccess after the signature', async () => {
    const visit = await site().visit(browser(), eft(), {
      comingBack: { mode: 'RedirectUri', urls: ['urlSuccess', 'urlExit'] },
    });
    const payor = await visit.payor();
    await payor.goToAgreement();
    await payor.press('Leave and sign later');
    await visit.isBackAt('urlExit');
    await visit.expectRecorded(OPENED, 'Completed EFT0302 poll');
    await visit.reopen();
    await (await visit.payor()).sign();
    await visit.isBackAt('urlSuccess');
    await visit.expectRecorded(OPENED, 'Completed EFT0302 poll', 'Completed EFT0301 poll');
  });

  test('A56 does not happen if the payor closes the window at the agreement, and a refresh then sees EFT0302', async () => {
    const visit = await site().visit(browser(), eft());
    const payor = await visit.payor();
    await payor.goToAgreement();
    await visit.receivesEnds();
    await visit.page.close();
    await visit.expectRecorded(OPENED);
    await refresh(visit);
    await visit.expectRecorded(OPENED, 'Completed EFT0302 poll');
  });

  test.each(['RedirectUri', 'JsEvents'] as const)(
    'A61 %s: works in a separate window, without a page that embeds the flow',
    async (mode) => {
      const visit = await site().visit(browser(), REQUEST, {
        comingBack: { mode, urls: ['urlSuccess', 'urlExit'] },
      });
      await visit.page.goto(visit.parts.checkoutUrl);
      const payor = new BrowserPayor(visit.page);
      await payor.chooseBank();
      await payor.logIn();
      await payor.accept();
      if (mode === 'RedirectUri') await visit.isBackAt('urlSuccess');
      else await payor.sees('Thank you');
      // The closed page receives no message, so the test refreshes the session.
      if (mode === 'JsEvents') await refresh(visit);
      await visit.expectRecorded('Initiated create', 'Completed poll');
    },
  );
});

const refresh = ({ parts: { sessions, key } }: MerchantVisit) => sessions.get(key).refresh();
