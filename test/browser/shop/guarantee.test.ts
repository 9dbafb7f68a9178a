import { expect, test } from '@jest/globals';
import type { SessionRequest } from '../../../src';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, geft, withoutAmount } from '../../support/requests';
import type { BrowserPayor } from '../browser-payor';
import { OPENED, type MerchantVisit } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';

/** Above what the guarantee of an everyday account covers, 500.00, and below its balance. */
const LARGE = '700';
const OPEN = asking(withoutAmount(geft()), { showConsentScreen: false });
/** No offer can be made from an everyday account: 500.00 is below the minimum. */
const WITHOUT_OFFER = asking(OPEN, { limits: { minimumAmount: 600, maximumAmount: 900 } });

const site = useMerchantSite({ failWithoutGuarantee: true });

interface AtAmount {
  readonly visit: MerchantVisit;
  readonly payor: BrowserPayor;
}

describeInBrowser('a guaranteed EFT', (browser) => {
  async function goToAmount(request: SessionRequest, account = 'default'): Promise<AtAmount> {
    const visit = await site().visit(browser(), request, { account });
    const payor = await visit.payor();
    await payor.chooseBank();
    await payor.logIn();
    await payor.chooseAccount();
    return { visit, payor };
  }

  async function expectSigned({ visit, payor }: AtAmount, amount: number): Promise<void> {
    await payor.sign();
    await visit.isTold('SUCCESS');
    expect((await visit.expectRecorded(OPENED, 'Completed EFT0301 poll')).amount).toBe(amount);
  }

  async function expectFailed({ visit, payor }: AtAmount, code: string, reason: string): Promise<void> {
    await payor.sees('The payment could not be made');
    await payor.view.getByText(reason).waitFor();
    await payor.press('Back to the merchant');
    await visit.isTold('EXIT');
    await visit.expectRecorded(OPENED, `Failed ${code} poll`);
  }

  test('A40 after a next best offer, the payor enters another amount, which gets no offer', async () => {
    const at = await goToAmount(OPEN);
    await at.payor.enterAmount(LARGE);
    await at.payor.sees('Another amount is available');
    await at.payor.press('Enter another amount');
    await at.payor.sees('Enter the amount');
    await at.payor.enterAmount('500');
    await expectSigned(at, 500);
  });

  test('A40 the payor leaves at the offer, and accepts it on return', async () => {
    const at = await goToAmount(OPEN);
    await at.payor.enterAmount(LARGE);
    await at.payor.sees('Another amount is available');
    await at.payor.press('Leave without paying');
    await at.visit.isTold('EXIT');
    const { amount } = await at.visit.expectRecorded(OPENED);
    expect(amount).toBeUndefined();
    await at.payor.view.getByRole('link', { name: 'Go back to it' }).click();
    await at.payor.view.getByText('$500.00 CAD').waitFor();
    await at.payor.press('Take this amount');
    await at.payor.sign();
    await at.visit.isTold('EXIT', 'SUCCESS');
    expect((await at.visit.expectRecorded(OPENED, 'Completed EFT0301 poll')).amount).toBe(500);
  });

  test('A14, A40 without an offer within the limits, another account is asked for', async () => {
    const at = await goToAmount(WITHOUT_OFFER);
    await at.payor.enterAmount(LARGE);
    await at.payor.isTold('amountNotGuaranteed');
    await at.payor.press('Back');
    await at.payor.chooseAccount('Savings');
    await at.payor.enterAmount(LARGE);
    await expectSigned(at, 700);
  });

  test('A41 without an offer, failWithoutGuarantee fails the session with EFT0402', async () => {
    const at = await goToAmount(WITHOUT_OFFER, 'other');
    await at.payor.enterAmount(LARGE);
    await expectFailed(at, 'EFT0402', 'No guarantee is available for this payment.');
  });

  test('A41 failWithoutGuarantee still lets the payor accept an offer', async () => {
    const at = await goToAmount(OPEN, 'other');
    await at.payor.enterAmount(LARGE);
    await at.payor.sees('Another amount is available');
    await at.payor.press('Take this amount');
    await expectSigned(at, 500);
  });

  test('A40, A41 a preset amount gets no offer: failWithoutGuarantee fails the session', async () => {
    const at = await goToAmount(asking({ ...geft(), amount: 700 }, { showConsentScreen: false }), 'other');
    await at.payor.confirmAmount();
    await expectFailed(at, 'EFT0402', 'No guarantee is available for this payment.');
  });

  test('A56 a balance that is too low fails the session before any offer', async () => {
    const at = await goToAmount(OPEN);
    await at.payor.enterAmount('2500.01');
    await expectFailed(at, 'EFT0404', 'The available balance is too low.');
  });
});
