import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { openShop, type OpenShop } from '../../support/worlds/shop';
import { createWorld, type World } from '../../support/worlds/world';
import { expectGoodInEveryLook } from '../page-manners';
import { Buyer } from './support/buyer';

const WORDS = 'Lamp-Of-The-Ontario-Federation-Of-Very-Long-Product-Names-Without-Any-Spaces-In-Them';
const LONG = { EN: WORDS, FR: WORDS };

let world: World;
let shop: OpenShop;

beforeAll(async () => {
  world = await createWorld();
  shop = await openShop(world, {
    products: [{ id: 'lamp', name: LONG, description: LONG, price: 1_234.5 }],
  });
});

afterAll(async () => {
  await shop.close();
  await world.close();
});

describeInBrowser('the shop’s pages', (browser) => {
  test('have no axe-core violation and nothing too wide, at all widths, in light and dark', async () => {
    const buyer = await Buyer.enter(browser());
    const { page } = buyer;
    for (const path of ['/', '/buy/lamp', '/nothing']) {
      await page.goto(shop.url + path);
      await expectGoodInEveryLook(page);
    }
    await page.goto(`${shop.url}/buy/lamp`);
    await page.getByLabel('Email').fill('nobody');
    await buyer.press('Order and pay');
    await page.getByRole('alert').waitFor();
    await expectGoodInEveryLook(page);
    await buyer.order(shop.url);
    const payor = await buyer.payor();
    await payor.sees('Your consent');
    await expectGoodInEveryLook(page);
    // The frame of the flow is as high as the window, so that only one of the two scrolls. Its height follows the font size.
    const height = () => page.evaluate<number>(`document.querySelector('iframe').clientHeight`);
    for (const windowHeight of [640, 800]) {
      await page.setViewportSize({ width: 1_280, height: windowHeight });
      expect(await height()).toBe(Math.max(720, windowHeight));
    }
    await page.evaluate(`document.documentElement.style.fontSize = '32px'`);
    expect(await height()).toBe(2 * 720);
    await page.evaluate(`document.documentElement.style.fontSize = ''`);
    await payor.press('Leave without paying');
    await buyer.flowIsGone();
    await expectGoodInEveryLook(page);
    await buyer.press('Cancel the order');
    await buyer.sees('Order cancelled');
    await expectGoodInEveryLook(page);
  });
});
