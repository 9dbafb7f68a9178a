import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useShop } from '../../support/worlds/shop';
import { useWorld } from '../../support/worlds/use-world';
import { expectGoodInEveryLook } from '../page-manners';
import { Buyer } from './support/buyer';
import { textsOf } from '../../../sandbox/flow/texts';

const world = useWorld();
const shop = useShop(world);

/** A script that returns the lightness of a page’s background, from 0 to 255. */
const LIGHTNESS = `Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))`;

// A16 is a rule of the contract (docs/contract.md).

describeInBrowser('the sample shop follows the reader’s preferences:', (browser, another) => {
  test('A16 a reader of French orders in the shop and pays in the hosted flow in French', async () => {
    const buyer = await Buyer.enter(await another({ locale: 'fr-CA' }));
    const { page } = buyer;
    await page.goto(`${shop.url}/buy/lamp`);
    await expectGoodInEveryLook(page);
    await buyer.press('Commander et payer');
    await buyer.sees('En attente de votre paiement');
    const payor = await buyer.payor(textsOf('FR'));
    await payor.goToAgreement();
    await payor.sign();
    await buyer.sees('Payée. Merci!');
    await page.getByText('vu par une vérification').waitFor();
    await expectGoodInEveryLook(page);
    await page.getByRole('link', { name: 'English' }).click();
    await buyer.sees('Paid. Thank you!');
    expect(buyer.complaints).toEqual([]);
  });

  test('the page and the hosted flow are both dark or both light', async () => {
    const buyer = await Buyer.enter(browser());
    await buyer.order(shop.url);
    const { view } = await buyer.payor();
    for (const [colorScheme, isDark] of [
      ['dark', true],
      ['light', false],
    ] as const) {
      await buyer.page.emulateMedia({ colorScheme });
      const lightness = await Promise.all([buyer.page.evaluate(LIGHTNESS), view.evaluate(LIGHTNESS)]);
      expect([colorScheme, ...lightness.map((light) => Number(light) < 128)]).toEqual([
        colorScheme,
        isDark,
        isDark,
      ]);
    }
  });
});
