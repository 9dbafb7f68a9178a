import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { manualClock } from '../../../sandbox';
import { describeInBrowser } from '../../support/worlds/chromium';
import { openShop, type OpenShop } from '../../support/worlds/shop';
import { createWorld, QUICK, type World } from '../../support/worlds/world';
import type { BrowserPayor } from '../browser-payor';
import { Buyer } from './support/buyer';
import { OPENED } from './support/merchant-visit';
import { recorded } from './support/recorded';

const clock = manualClock(Date.now());

let world: World;
/** A shop whose sessions are polled only when the page’s `refresh` hook refreshes them. */
let shop: OpenShop;
let pollingShop: OpenShop;

beforeAll(async () => {
  world = await createWorld({ sandbox: { clock } });
  shop = await openShop(world);
  pollingShop = await openShop(world, { policy: QUICK, lookEveryMs: 100 });
});

afterAll(async () => {
  await shop.close();
  await pollingShop.close();
  await world.close();
});

const historyOf = (orderId: string) => recorded(world.sessions, orderId);

const failsToLogIn = async (payor: BrowserPayor) => {
  await payor.consent();
  await payor.chooseBank();
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await payor.logIn('payor', 'wrong');
    if (attempt < 3) await payor.view.getByRole('alert').waitFor();
  }
};

const isSomebodyElse = async (payor: BrowserPayor) => {
  await payor.consent();
  await payor.chooseBank();
  await payor.logIn('other');
  await payor.chooseAccount();
};

const isShortOfMoney = async (payor: BrowserPayor) => {
  await payor.consent();
  await payor.chooseBank();
  await payor.logIn();
  await payor.chooseAccount(/Student account/);
  await payor.confirmAmount();
};

// A46, A54, A55, A56, A57 and A61 are rules of the contract (docs/contract.md).

describeInBrowser('a payment through the shop', (browser, another) => {
  test.each(['Bank debit', 'Guaranteed bank debit'])(
    'A61 by %s completes once the payor signs: the page’s hook then makes the workflow poll',
    async (method) => {
      const buyer = await Buyer.enter(browser());
      const orderId = await buyer.order(shop.url, { [method]: '' });
      const payor = await buyer.payor();
      await payor.goToAgreement();
      await payor.sign();
      await buyer.sees('Paid. Thank you!');
      await buyer.flowIsGone();
      expect(await historyOf(orderId)).toEqual([OPENED, 'Completed EFT0301 poll']);
      expect(await world.sessions.get(orderId).result()).toMatchObject({
        status: 'Completed',
        code: 'EFT0301',
      });
      expect(await buyer.page.evaluate('document.activeElement.id')).toBe('headline');
      expect(buyer.complaints).toEqual([]);
    },
  );

  test('A46 completes an e-Transfer once the payor accepts', async () => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(shop.url, { 'e-Transfer': '' });
    const payor = await buyer.payor();
    await payor.consent();
    await payor.chooseBank();
    await payor.logIn();
    await payor.choose(/Everyday chequing/);
    await payor.press('Accept the request');
    await buyer.sees('Paid. Thank you!');
    expect(await historyOf(orderId)).toEqual(['Initiated create', 'Completed poll']);
  });

  test('A61 can be left and completed later', async () => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(shop.url);
    const payor = await buyer.payor();
    await payor.consent();
    await payor.sees('Choose your bank');
    await payor.press('Leave without paying');
    await buyer.flowIsGone();
    await buyer.sees('Waiting for your payment');
    expect(await historyOf(orderId)).toEqual([OPENED]);
    await buyer.press('Continue to pay');
    const again = await buyer.payor();
    await again.chooseBank();
    await again.logIn();
    await again.chooseAccount();
    await again.confirmAmount();
    await again.sign();
    await buyer.sees('Paid. Thank you!');
    expect(await historyOf(orderId)).toEqual([OPENED, 'Completed EFT0301 poll']);
  });

  test.each([
    ['a bad login', 'EFT0401', 'The login at your bank failed.', failsToLogIn],
    [
      'another person’s account',
      'EFT0403',
      'The account holder does not match your details.',
      isSomebodyElse,
    ],
    ['a low balance', 'EFT0404', 'The available balance is too low.', isShortOfMoney],
  ])(
    'A56 fails after %s, and the shop shows the reason once the payor has read it',
    async (_name, code, reason, play) => {
      const buyer = await Buyer.enter(browser());
      const orderId = await buyer.order(shop.url);
      const payor = await buyer.payor();
      await play(payor);
      await payor.sees('The payment could not be made');
      expect(await historyOf(orderId)).toEqual([OPENED]);
      await payor.press('Back to the merchant');
      await buyer.sees('The payment failed');
      await buyer.page.getByText(reason).waitFor();
      await buyer.flowIsGone();
      expect(await historyOf(orderId)).toEqual([OPENED, `Failed ${code} poll`]);
    },
  );

  test('A56 can be left before the signature, and signed later', async () => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(shop.url);
    const payor = await buyer.payor();
    await payor.goToAgreement();
    await payor.press('Leave and sign later');
    await buyer.sees('One signature to go');
    expect(await historyOf(orderId)).toEqual([OPENED, 'Completed EFT0302 poll']);
    // The payor returns on another day, in another browser.
    const later = await Buyer.enter(await another());
    await later.page.goto(buyer.page.url());
    await (await later.payor()).sign();
    await later.sees('Paid. Thank you!');
    await buyer.sees('Paid. Thank you!');
    expect(await historyOf(orderId)).toEqual([OPENED, 'Completed EFT0302 poll', 'Completed EFT0301 poll']);
  });

  test.each([
    ['SUCCESS', 'Paid. Thank you!', 'Completed EFT0301 poll'],
    ['EXIT', 'Waiting for your payment', undefined],
  ])('A61 returns the window to the order by RedirectUri (%s)', async (end, headline, state) => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(shop.url, {
      'By redirect: the payment moves the whole window (RedirectUri)': '',
    });
    const payor = await buyer.payor();
    if (end === 'SUCCESS') {
      await payor.goToAgreement();
      await payor.sign();
    } else {
      await payor.sees('Your consent');
      await payor.press('Leave without paying');
    }
    await buyer.page.waitForURL('**/orders/*?returned');
    await buyer.sees(headline);
    expect(await historyOf(orderId)).toEqual([OPENED, ...(state === undefined ? [] : [state])]);
    expect(await buyer.page.locator('iframe').count()).toBe(0);
  });

  test('A54 can be cancelled in the shop while the flow is open', async () => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(shop.url);
    const payor = await buyer.payor();
    await payor.consent();
    await payor.sees('Choose your bank');
    await buyer.press('Cancel the order');
    await buyer.sees('Order cancelled');
    await buyer.flowIsGone();
    expect(await historyOf(orderId)).toEqual([OPENED, 'Cancelled EFT0501 cancel']);
    expect(await world.sessions.get(orderId).result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
  });

  test('A55 cannot be cancelled while it only waits for the signature, and can still be signed', async () => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(shop.url);
    const payor = await buyer.payor();
    await payor.goToAgreement();
    await buyer.press('Cancel the order');
    await buyer.sees('One signature to go');
    await payor.sign();
    await buyer.sees('Paid. Thank you!');
    expect((await historyOf(orderId)).at(-1)).toBe('Completed EFT0301 poll');
  });

  test('A57 can expire while the flow is open', async () => {
    const buyer = await Buyer.enter(browser());
    const orderId = await buyer.order(pollingShop.url);
    await (await buyer.payor()).consent();
    await (await buyer.payor()).sees('Choose your bank');
    clock.advance(15 * 60_000);
    await buyer.sees('The payment has expired');
    await buyer.flowIsGone();
    expect(await historyOf(orderId)).toEqual([OPENED, 'Expired EFT0601 poll']);
  });

  test('that is paid in one tab is shown as paid in a second tab of the order', async () => {
    const first = await Buyer.enter(browser());
    const orderId = await first.order(shop.url);
    const second = await Buyer.enter(first.context);
    await second.page.goto(first.page.url());
    const behind = await second.payor();
    await behind.sees('Your consent');
    // The browser draws a background tab only once a second, so the tab is brought to the front.
    await first.page.bringToFront();
    const payor = await first.payor();
    await payor.goToAgreement();
    await payor.sign();
    await first.sees('Paid. Thank you!');
    await second.sees('Paid. Thank you!');
    await second.flowIsGone();
    expect(await historyOf(orderId)).toEqual([OPENED, 'Completed EFT0301 poll']);
  });
});
