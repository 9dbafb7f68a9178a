import { expect, test } from '@jest/globals';
import { HttpPayor, LOGIN, type Fields } from '../support/sandbox/flow/payor';
import {
  eft,
  eTransfer,
  geft,
  PAYEE,
  startService,
  type RequestBuilder,
} from '../support/sandbox/requests-to-sandbox';
import { describeInBrowser } from '../support/worlds/chromium';
import { expectGoodInEveryLook } from './page-manners';

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
  ['guaranteed EFT with every problem', GEFT, FORMS],
  [
    'regular EFT that fails',
    eft(),
    [{}, { institution: 'boreal' }, { ...LOGIN, username: 'other' }, { account: 'chequing' }],
  ],
  [
    'e-Transfer with a missing amount, which the payor leaves',
    eTransfer().without('amount'),
    [{}, { institution: 'boreal' }, LOGIN, { amount: '' }, { action: 'leave' }],
  ],
  [
    'RedirectUri, which the payor leaves',
    eft().with('options.redirectPreferences', { mode: 'RedirectUri', urlExit: 'https://shop.example' }),
    [{ action: 'leave' }],
  ],
  ['session with a scenario', geft('sandbox-stays-initiated'), []],
];

const IN_BOTH_LANGUAGES = FLOWS.flatMap(([name, request, forms]) =>
  ['EN', 'FR'].map(
    (language) =>
      [name, language, request.with('options.notificationPreferences.language', language), forms] as const,
  ),
);

// A60 and A62 are rules of the contract (docs/contract.md).

describeInBrowser('the pages of the hosted flow', (browser) => {
  test.each(IN_BOTH_LANGUAGES)(
    'A60 %s, %s: on each page, axe-core finds no violation and nothing is too wide, at all widths, in light and dark',
    async (_name, _language, request, forms) => {
      const service = await startService();
      const payor = new HttpPayor(service, await service.open(request));
      const page = await browser().newPage();
      const show = async () => {
        // Some pages navigate away by script. Without the script, the page stays and can be checked.
        await page.setContent(payor.text.replace(/<script .*<\/script>/s, ''));
        await expectGoodInEveryLook(page);
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

  test.each(['EN', 'FR'])(
    'A60, A62 axe-core finds no violation after an outdated form and after the session’s end: %s',
    async (language) => {
      const service = await startService();
      const request = eft().with('options.notificationPreferences.language', language);
      const payor = new HttpPayor(service, await service.open(request));
      const page = await browser().newPage();
      await page.setContent((await payor.post({ token: 'x' })).text);
      await expectGoodInEveryLook(page);
      await service.cancel(payor.sessionId);
      await page.setContent((await payor.open()).text);
      await expectGoodInEveryLook(page);
    },
  );

  test('A62 axe-core finds no violation on the page for an unknown session', async () => {
    const service = await startService();
    const page = await browser().newPage();
    await page.goto(`${service.sandbox.url}/app/?sessionId=x`);
    await expectGoodInEveryLook(page);
  });
});
