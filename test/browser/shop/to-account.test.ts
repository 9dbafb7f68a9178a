import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/chromium';
import { asking, eft, geft, PAYEE_ACCOUNT } from '../../support/requests';
import { createWorld, type World } from '../../support/world';
import { MerchantSite } from './merchant-site';
import { OPENED } from './merchant-visit';

const LABEL = 'Maple & Brass <chequing>';

let world: World;
let site: MerchantSite;

beforeAll(async () => {
  world = await createWorld();
  site = await MerchantSite.open(world);
});

afterAll(async () => {
  site.close();
  await world.close();
});

describeInBrowser('the To Account section', (browser) => {
  test.each([
    {
      what: 'the label beside the account’s number',
      request: { ...geft(), payee: { account: { ...PAYEE_ACCOUNT, accountLabel: LABEL } } },
      shown: LABEL,
    },
    {
      what: 'the label of the payee',
      request: { ...geft(), payee: { account: PAYEE_ACCOUNT, accountLabel: LABEL } },
      shown: LABEL,
    },
    {
      what: 'the label at the top, for the client’s own account',
      request: { ...geft(), accountLabel: LABEL },
      shown: LABEL,
    },
    {
      what: 'a label that the service builds',
      request: { ...geft(), payee: { account: PAYEE_ACCOUNT } },
      shown: '002 ****4567',
    },
    { what: 'nothing without account and label', request: geft(), shown: undefined },
    { what: 'nothing for a regular EFT', request: eft(), shown: undefined },
  ])('A39 shows $what, on every step', async ({ request, shown }) => {
    const visit = await site.visit(browser(), asking(request, { showConsentScreen: true }));
    const payor = await visit.payor();
    const expectShown = async (heading: keyof typeof payor.texts.headings) => {
      await payor.sees(payor.texts.headings[heading]);
      const line = payor.view
        .locator('dt', { hasText: 'To account' })
        .locator('xpath=following-sibling::dd[1]');
      expect(await line.allTextContents()).toEqual(shown === undefined ? [] : [shown]);
    };
    await expectShown('consent');
    await payor.consent();
    await expectShown('institution');
    await payor.chooseBank();
    await expectShown('login');
    await payor.logIn();
    await expectShown('account');
    await payor.chooseAccount();
    await expectShown('amount');
    await payor.confirmAmount();
    await expectShown('agreement');
    await payor.press(payor.texts.actions.signLater);
    await visit.isTold('EXIT');
    await visit.expectRecorded(OPENED, 'Completed EFT0302 poll');
  });
});
