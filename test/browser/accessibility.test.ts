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

describeInBrowser('the pages of the hosted flow', (browser) => {
  test.each(IN_BOTH_LANGUAGES)(
    'A60 %s, %s: axe-core finds nothing, and each page fits, at each width, in light and in dark',
    async (_name, _language, request, forms) => {
      const service = await startService();
      const payor = new HttpPayor(service, await service.open(request));
      const page = await browser().newPage();
      const show = async () => {
        // Some pages navigate elsewhere by script. Without their script, they stay to be checked.
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
    'A60, A62 axe-core finds nothing after a form that is out of date, and after the end of the session: %s',
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

  test('A62 axe-core finds nothing on an unknown session’s page', async () => {
    const service = await startService();
    const page = await browser().newPage();
    await page.goto(`${service.sandbox.url}/app/?sessionId=x`);
    await expectGoodInEveryLook(page);
  });
});
