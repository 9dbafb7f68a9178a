import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/chromium';
import { asking, eTransfer } from '../../support/requests';
import { openTwoServices, type TwoServices } from './two-services';

let services: TwoServices;

beforeAll(async () => {
  services = await openTwoServices({ consentByDefault: false });
});

afterAll(async () => {
  await services.close();
});

describeInBrowser('the consent screen', (browser) => {
  test.each([
    [true, 'default', true],
    [false, 'default', false],
    [null, 'default', true],
    [undefined, 'default', true],
    [true, 'other', true],
    [null, 'other', false],
    [undefined, 'other', false],
  ])('A60 showConsentScreen %p of the account %s: shown is %p', async (asked, account, shown) => {
    const request = asking(eTransfer(), { showConsentScreen: asked });
    const visit = await services.site.visit(browser(), request, { account });
    const payor = await visit.payor();
    if (shown) {
      await payor.consent();
      await payor.view.getByText('Step 2 of 4').waitFor();
    }
    await payor.chooseBank();
    await payor.view.getByText(shown ? 'Step 3 of 4' : 'Step 2 of 3').waitFor();
    await payor.logIn();
    await payor.accept();
    await visit.isTold('SUCCESS');
    const { amount } = await visit.expectRecorded('Initiated create', 'Completed poll');
    expect(amount).toBe(25);
  });
});
