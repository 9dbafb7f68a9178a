import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, eft, eTransfer, geft, withoutAmount } from '../../support/requests';
import type { BrowserPayor } from '../browser-payor';
import { OPENED, type MerchantVisit } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';

const AMOUNT = 'Amount in Canadian dollars';
const LIMITS = { minimumAmount: 5, maximumAmount: 50 };
const BOUNDS = { attemptsLeft: 0, minimum: '$5.00 CAD', maximum: '$50.00 CAD' };
const HIDDEN = { showConsentScreen: false };

const site = useMerchantSite();

const goToAmount = async (payor: BrowserPayor) => {
  await payor.chooseBank();
  await payor.logIn();
  await payor.chooseAccount();
};

/** Leaves the flow at the agreement. Expects that the session has this amount, and waits for the signature. */
async function expectAgreed(visit: MerchantVisit, payor: BrowserPayor, amount: number): Promise<void> {
  await payor.sees(payor.texts.headings.agreement);
  await payor.press(payor.texts.actions.signLater);
  await visit.receivesEnds('EXIT');
  expect((await visit.expectRecorded(OPENED, 'Completed EFT0302 poll')).amount).toBe(amount);
}

// A11, A14, A16, A40 and A46 are rules of the contract (docs/contract.md).

describeInBrowser('the amount', (browser) => {
  test('A14 must be entered within the session’s limits if the request has none', async () => {
    const request = asking(withoutAmount(eft()), { ...HIDDEN, limits: LIMITS });
    const visit = await site().visit(browser(), request);
    const payor = await visit.payor();
    await goToAmount(payor);
    await payor.sees('Enter the amount');
    await payor.view.getByText('From $5.00 CAD to $50.00 CAD.').waitFor();
    await payor.enterAmount('five');
    await payor.seesProblem('amountUnreadable');
    for (const outside of ['4.99', '50.01']) {
      await payor.enterAmount(outside);
      await payor.seesProblem('amountOutOfBounds', BOUNDS);
      expect(await payor.view.getByLabel(AMOUNT).inputValue()).toBe(outside);
    }
    await payor.enterAmount('50,00');
    await expectAgreed(visit, payor, 50);
  });

  test('A14, A16 must be entered within the client’s limits if the request has none, although amountModification is false', async () => {
    const request = asking(withoutAmount(eft()), { ...HIDDEN, amountModification: false });
    const visit = await site().visit(browser(), request);
    const payor = await visit.payor();
    await goToAmount(payor);
    await payor.view.getByText('From $1.00 CAD to $10,000.00 CAD.').waitFor();
    await payor.enterAmount('600');
    await expectAgreed(visit, payor, 600);
  });

  test('A16 can be changed within the limits if the request has one and allows changes', async () => {
    const request = asking(eft(), { ...HIDDEN, amountModification: true, limits: LIMITS });
    const visit = await site().visit(browser(), request);
    const payor = await visit.payor();
    await goToAmount(payor);
    await payor.sees('Confirm the amount');
    expect(await payor.view.getByLabel(AMOUNT).inputValue()).toBe('25.00');
    await payor.enterAmount('50.01');
    await payor.seesProblem('amountOutOfBounds', BOUNDS);
    await payor.enterAmount('5');
    await expectAgreed(visit, payor, 5);
  });

  test.each([
    ['EFT', eft(), false],
    // A guarantee covers the requested amount, also above the account’s usual limit (contract rule A40).
    ['guaranteed EFT', { ...geft(), amount: 700 }, true],
  ])(
    'A16, A40 of a %s only needs a confirmation if the request has one, and gets no offer',
    async (_kind, request, amountModification) => {
      const asked = asking(request, { ...HIDDEN, amountModification });
      const visit = await site().visit(browser(), asked);
      const payor = await visit.payor();
      await goToAmount(payor);
      await payor.view.getByText('This amount was set for you and cannot be changed.').waitFor();
      expect(await payor.view.getByLabel(AMOUNT).count()).toBe(0);
      await payor.confirmAmount();
      await expectAgreed(visit, payor, request.amount);
    },
  );

  test('A46 of an e-Transfer is entered on the page of the account, which shows the problems of both', async () => {
    const visit = await site().visit(browser(), asking(withoutAmount(eTransfer()), HIDDEN));
    const payor = await visit.payor();
    await payor.chooseBank();
    await payor.logIn();
    await payor.sees('Review the request');
    await payor.press('Accept the request');
    await payor.seesProblem('accountMissing');
    await payor.seesProblem('amountUnreadable');
    await payor.view.getByLabel(AMOUNT).fill('41');
    await payor.accept();
    await visit.receivesEnds('SUCCESS');
    expect((await visit.expectRecorded('Initiated create', 'Completed poll')).amount).toBe(41);
  });

  test.each([
    ['DEBIT', 'Failed poll', 'EXIT'],
    ['CREDIT', 'Completed poll', 'SUCCESS'],
  ] as const)(
    'A11, A46 of a %s e-Transfer above the account’s balance ends the session with “%s”',
    async (direction, state, end) => {
      const visit = await site().visit(browser(), { ...asking(eTransfer(), HIDDEN), direction });
      const payor = await visit.payor();
      await payor.chooseBank();
      await payor.logIn();
      await payor.accept('Student account');
      if (end === 'EXIT') await payor.press('Back to the merchant');
      await visit.receivesEnds(end);
      await visit.expectRecorded('Initiated create', state);
    },
  );
});
