import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useShop } from '../../support/worlds/shop';
import { useWorld } from '../../support/worlds/use-world';
import { Buyer } from './support/buyer';

const world = useWorld();
const shop = useShop(world);

describeInBrowser('an order’s page of the sample shop', (browser) => {
  test('connects again after its event stream was refused, and closes the stream after the last event', async () => {
    const buyer = await Buyer.enter(browser());
    const { page } = buyer;
    await page.addInitScript(`
      window.EventSource = class extends EventSource {
        constructor(url) {
          super(url);
          window.stream = this;
        }
      };
    `);
    let asked = 0;
    await page.route('**/events', (route) => {
      asked += 1;
      return asked <= 2 ? route.fulfill({ status: 502, body: 'Bad gateway' }) : route.continue();
    });
    await buyer.order(shop.url);
    const trouble = page.getByText('The shop does not answer. This page will say when it is back.');
    await trouble.waitFor();
    await buyer.sees('Waiting for your payment');
    await trouble.waitFor({ state: 'hidden' });
    expect(asked).toBe(3);
    await buyer.press('Cancel the order');
    await buyer.sees('Order cancelled');
    await page.waitForFunction('window.stream.readyState === EventSource.CLOSED');
    expect(asked).toBe(3);
  });
});
