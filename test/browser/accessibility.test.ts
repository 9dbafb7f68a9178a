import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { HttpPayor, LOGIN, type Fields } from '../sandbox/payor';
import { eft, eTransfer, geft, PAYEE, startService, type RequestBuilder } from '../sandbox/support';
import { describeInBrowser } from '../support/chromium';
import { expectGood, NARROW } from './page-manners';

const LONG =
  'Ontario-Federation-of-Very-Long-Merchant-Names-Without-Any-Spaces-In-Them-Whatsoever-Incorporated';

const FORMS: readonly Fields[] = [
  {},
  { institution: '' },
  { institution: 'boreal' },
  { username: 'x', password: 'x' },
  LOGIN,
  { account: '' },
  { account: 'chequing' },
  { amount: '0' },
  { amount: '900' },
  {},
  { agreed: '', signature: '' },
  { agreed: 'yes', signature: 'Avery' },
];

const GEFT = geft().with('payee', PAYEE).with('accountLabel', LONG).without('amount');

const FLOWS: readonly (readonly [string, RequestBuilder, readonly Fields[]])[] = [
  ['guaranteed EFT with every problem, English', GEFT, FORMS],
  [
    'guaranteed EFT with every problem, French',
    GEFT.with('options.notificationPreferences.language', 'FR'),
    FORMS,
  ],
  [
    'regular EFT that fails',
    eft(),
    [{}, { institution: 'boreal' }, { ...LOGIN, username: 'other' }, { account: 'chequing' }],
  ],
  ['e-Transfer that is left', eTransfer(), [{}, { institution: 'boreal' }, LOGIN, { action: 'leave' }]],
  [
    'RedirectUri',
    eft().with('options.redirectPreferences', { mode: 'RedirectUri', urlExit: 'https://shop.example' }),
    [{ action: 'leave' }],
  ],
  ['a scenario', geft('sandbox-stays-initiated'), []],
];

/** A page on a narrow phone. */
async function narrowPage(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewportSize(NARROW);
  return page;
}

describeInBrowser('manners of the pages', (browser) => {
  test.each(FLOWS)(
    'A60 %s: axe-core finds nothing, and it fits a narrow screen',
    async (_name, request, forms) => {
      const service = await startService();
      const payor = new HttpPayor(service, await service.open(request));
      const page = await narrowPage(browser());
      const show = async () => {
        // Some pages come once and then go elsewhere: shown without their script, they stay to be looked at.
        await page.setContent(payor.text.replace(/<script .*<\/script>/s, ''));
        await expectGood(page);
      };
      await payor.open();
      await show();
      for (const fields of forms) {
        await payor.submit(fields);
        await show();
      }
      expect(payor.text.length).toBeLessThan(16_384);
    },
  );

  test('A60 a page that is out of date, and A62 one that is over', async () => {
    const service = await startService();
    const payor = new HttpPayor(service, await service.open(eft()));
    const page = await narrowPage(browser());
    await page.setContent((await payor.post({ token: 'x' })).text);
    await expectGood(page);
    await page.goto(`${service.sandbox.url}/app/?sessionId=x`);
    await expectGood(page);
    await service.cancel(payor.sessionId);
    await page.goto(service.sandbox.url + payor.path);
    await expectGood(page);
  });

  test.each(['/', '/outbox'])('%s, empty and not', async (path) => {
    const service = await startService();
    const page = await narrowPage(browser());
    await page.goto(service.sandbox.url + path);
    await expectGood(page);
    await service.open(
      eTransfer(LONG).with('options.notificationPreferences', { sendNetworkLink: true, language: 'FR' }),
    );
    await page.reload();
    await expectGood(page);
  });
});
