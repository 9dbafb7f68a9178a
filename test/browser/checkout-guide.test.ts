import { expect, test } from '@jest/globals';
import { openCheckoutProject } from '../support/docs/checkout-project';
import { describeInBrowser } from '../support/worlds/chromium';
import { use } from '../support/worlds/use';
import { BrowserPayor } from './browser-payor';

const project = use(openCheckoutProject, (opened) => opened.close());

describeInBrowser('the checkout page that the guide prints', (browser) => {
  test('takes a payment, and its server reports that it is paid', () =>
    project.serving('server.mjs', async (url) => {
      const page = await browser().newPage();
      await page.goto(url);
      const frame = await (await page.waitForSelector('iframe.paysession-checkout')).contentFrame();
      if (frame === null) throw new Error('the page embeds nothing');
      const payor = new BrowserPayor(frame);
      await payor.goToAgreement();
      await payor.sign();
      await page.waitForURL('**/orders/*');
      expect(JSON.parse(await page.innerText('body'))).toMatchObject({ paid: true });
    }));
});
