import { expect, test } from '@jest/globals';
import { openCheckoutProject } from '../support/docs/checkout-project';
import { describeInBrowser } from '../support/worlds/chromium';
import { use } from '../support/worlds/use';
import { BrowserPayor } from './browser-payor';

const project = use(openCheckoutProject, (opened) => opened.close());

describeInBrowser('the page of the guide to checkout pages', (browser) => {
  test('leads a payor to a payment that its server reports as paid', () =>
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
