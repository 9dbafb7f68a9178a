import { expect, test } from '@jest/globals';
import type { SessionRequest } from '../../../src';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, geft, withoutAmount } from '../../support/requests';
import type { BrowserPayor } from '../browser-payor';
import { OPENED, type MerchantVisit } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';

/** An amount above 500.00, which the guarantee of the everyday account covers, and below the account’s balance. */
const LARGE = '700';
const OPEN = asking(withoutAmount(geft()), { showConsentScreen: false });
/** A request without a possible offer: the everyday account’s 500.00 is below this minimum. */
const WITHOUT_OFFER = asking(OPEN, { limits: { minimumAmount: 600, maximumAmount: 900 } });

const site = useMerchantSite({ failWithoutGuarantee: true });

interface AtAmount {
  readonly visit: MerchantVisit;
  readonly payor: BrowserPayor;
}

// A14, A40, A41 and A56 are rules of the contract (docs/contract.md).

// If the guarantee does not cover an entered amount, the service makes the “next best offer”: the amount that it does cover.
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
    await visit.receivesEnds('SUCCESS');
    expect((await visit.expectRecorded(OPENED, 'Completed EFT0301 poll')).amount).toBe(amount);
  }

  async function expectFailed({ visit, payor }: AtAmount, code: string, reason: string): Promise<void> {
    await payor.sees('The payment could not be made');
    await payor.view.getByText(reason).waitFor();
    await payor.press('Back to the merchant');
    await visit.receivesEnds('EXIT');
    await visit.expectRecorded(OPENED, `Failed ${code} poll`);
  }

  test('A40 after a next best offer, the payor can enter another amount, and gets no second offer', async () => {
    const at = await goToAmount(OPEN);
    await at.payor.enterAmount(LARGE);
    await at.payor.sees('Another amount is available');
    await at.payor.press('Enter another amount');
    await at.payor.sees('Enter the amount');
    await at.payor.enterAmount('500');
    await expectSigned(at, 500);
  });

  test('A40 the payor can leave at the offer, return and accept it', async () => {
    const at = await goToAmount(OPEN);
    await at.payor.enterAmount(LARGE);
    await at.payor.sees('Another amount is available');
    await at.payor.press('Leave without paying');
    await at.visit.receivesEnds('EXIT');
    const { amount } = await at.visit.expectRecorded(OPENED);
    expect(amount).toBeUndefined();
    await at.payor.view.getByRole('link', { name: 'Go back to it' }).click();
    await at.payor.view.getByText('$500.00 CAD').waitFor();
    await at.payor.press('Take this amount');
    await at.payor.sign();
    await at.visit.receivesEnds('EXIT', 'SUCCESS');
    expect((await at.visit.expectRecorded(OPENED, 'Completed EFT0301 poll')).amount).toBe(500);
  });

  test('A14, A40 if no offer is within the limits, the payor must choose another account', async () => {
    const at = await goToAmount(WITHOUT_OFFER);
    await at.payor.enterAmount(LARGE);
    await at.payor.seesProblem('amountNotGuaranteed');
    await at.payor.press('Back');
    await at.payor.chooseAccount('Savings');
    await at.payor.enterAmount(LARGE);
    await expectSigned(at, 700);
  });

  test('A41 with failWithoutGuarantee, the session fails with EFT0402 if no offer is possible', async () => {
    const at = await goToAmount(WITHOUT_OFFER, 'other');
    await at.payor.enterAmount(LARGE);
    await expectFailed(at, 'EFT0402', 'No guarantee is available for this payment.');
  });

  test('A41 with failWithoutGuarantee, the payor can still accept an offer', async () => {
    const at = await goToAmount(OPEN, 'other');
    await at.payor.enterAmount(LARGE);
    await at.payor.sees('Another amount is available');
    await at.payor.press('Take this amount');
    await expectSigned(at, 500);
  });

  test('A40, A41 with failWithoutGuarantee, the session fails at a preset amount that is not covered', async () => {
    const at = await goToAmount(asking({ ...geft(), amount: 700 }, { showConsentScreen: false }), 'other');
    await at.payor.confirmAmount();
    await expectFailed(at, 'EFT0402', 'No guarantee is available for this payment.');
  });

  test('A56 the session fails without an offer if the account’s balance is too low', async () => {
    const at = await goToAmount(OPEN);
    await at.payor.enterAmount('2500.01');
    await expectFailed(at, 'EFT0404', 'The available balance is too low.');
  });
});
