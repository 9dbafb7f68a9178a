import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useShop } from '../../support/worlds/shop';
import { useWorld } from '../../support/worlds/use-world';
import { Buyer } from './support/buyer';

const world = useWorld();
const shop = useShop(world);

describeInBrowser('the `refresh` hook of the merchant’s page', (browser) => {
  test('is called once, after the flow has sent EXIT', async () => {
    const buyer = await Buyer.enter(browser());
    const asked: string[] = [];
    buyer.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().startsWith(shop.url))
        asked.push(new URL(request.url()).pathname);
    });
    const orderId = await buyer.order(shop.url);
    const payor = await buyer.payor();
    await payor.consent();
    await payor.sees('Choose your bank');
    const ordered = ['/buy/lamp'];
    expect(asked).toEqual(ordered);
    await payor.press('Leave without paying');
    await buyer.flowIsGone();
    expect(asked).toEqual([...ordered, `/orders/${orderId}/refresh`]);
  });

  test('may fail: the page still shows the end of the flow, and reports the failure', async () => {
    const buyer = await Buyer.enter(browser());
    await buyer.order(shop.url);
    await buyer.page.route('**/refresh', (route) => route.fulfill({ status: 503, body: '{}' }));
    const payor = await buyer.payor();
    await payor.sees('Your consent');
    await payor.press('Leave without paying');
    await buyer.flowIsGone();
    expect(buyer.complaints.join()).toContain('the shop answers 503');
  });
});
