import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, eft, eTransfer, geft, PAYEE_ACCOUNT } from '../../support/requests';
import { OPENED } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';

const LABEL = 'Maple & Brass <chequing>';

const site = useMerchantSite({ consentByDefault: false });

// A39 and A60 are rules of the contract (docs/contract.md).

describeInBrowser('the consent screen', (browser) => {
  test.each([
    [true, 'default', true],
    [false, 'default', false],
    [null, 'default', true],
    [undefined, 'default', true],
    [true, 'other', true],
    [null, 'other', false],
    [undefined, 'other', false],
  ])('A60 with showConsentScreen %p and the account %s: it is shown: %p', async (asked, account, shown) => {
    const request = asking(eTransfer(), { showConsentScreen: asked });
    const visit = await site().visit(browser(), request, { account });
    const payor = await visit.payor();
    if (shown) {
      await payor.consent();
      await payor.view.getByText('Step 2 of 4').waitFor();
    }
    await payor.chooseBank();
    await payor.view.getByText(shown ? 'Step 3 of 4' : 'Step 2 of 3').waitFor();
    await payor.logIn();
    await payor.accept();
    await visit.receivesEnds('SUCCESS');
    const { amount } = await visit.expectRecorded('Initiated create', 'Completed poll');
    expect(amount).toBe(25);
  });
});

describeInBrowser('the To Account section', (browser) => {
  test.each([
    {
      what: 'the label next to the account’s number',
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
  ])('A39 shows $what on every step', async ({ request, shown }) => {
    const visit = await site().visit(browser(), asking(request, { showConsentScreen: false }));
    const payor = await visit.payor();
    const expectShown = async (heading: keyof typeof payor.texts.headings) => {
      await payor.sees(payor.texts.headings[heading]);
      const line = payor.view
        .locator('dt', { hasText: 'To account' })
        .locator('xpath=following-sibling::dd[1]');
      expect(await line.allTextContents()).toEqual(shown === undefined ? [] : [shown]);
    };
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
    await visit.receivesEnds('EXIT');
    await visit.expectRecorded(OPENED, 'Completed EFT0302 poll');
  });
});
