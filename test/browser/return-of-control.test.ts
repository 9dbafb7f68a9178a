import { expect, test } from '@jest/globals';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import type { SandboxOptions } from '../../sandbox';
import { eft, startService, type RequestBuilder, type Service } from '../sandbox/support';
import { describeInBrowser } from '../support/chromium';
import { BrowserPayor } from './browser-payor';
import { startMerchant, type Merchant } from './merchant';

interface Visit {
  readonly service: Service;
  readonly merchant: Merchant;
  readonly page: Page;
  readonly frame: Frame;
  readonly payor: BrowserPayor;
}

interface VisitOptions {
  readonly request?: (merchant: Merchant) => RequestBuilder;
  readonly sandbox?: (merchant: Merchant) => SandboxOptions;
  readonly embed?: Parameters<Merchant['embedding']>[1];
}

const preferring =
  (mode: string, urls: (merchant: Merchant) => object = () => ({})) =>
  (merchant: Merchant) =>
    eft().with('options.redirectPreferences', { mode, ...urls(merchant) });

const BOTH_URLS = ({ urlSuccess, urlExit }: Merchant) => ({ urlSuccess, urlExit });

/** A payor at a merchant’s page that embeds the flow, on another origin. */
async function visit(
  browser: BrowserContext,
  { request, sandbox, embed }: VisitOptions = {},
): Promise<Visit> {
  const merchant = await startMerchant();
  const service = await startService(sandbox?.(merchant));
  const sessionId = await service.open(request?.(merchant) ?? eft());
  const page = await browser.newPage();
  await page.goto(merchant.embedding(`${service.sandbox.url}/app/?sessionId=${sessionId}`, embed));
  const frame = await (await page.waitForSelector('#flow')).contentFrame();
  if (frame === null) throw new Error('the merchant’s page embeds nothing');
  return { service, merchant, page, frame, payor: new BrowserPayor(frame) };
}

/**
 * The messages that have reached the merchant’s page by now. Messages arrive in order, so that all earlier ones have come
 * when one that is sent now has.
 */
async function messagesOf({ page, frame }: Visit): Promise<readonly { data: unknown; origin: string }[]> {
  await frame.evaluate(`window.parent.postMessage('mark', '*')`);
  const messages = await page.waitForFunction(
    `messages.some(({ data }) => data === 'mark') && messages.splice(0).filter(({ data }) => data !== 'mark')`,
  );
  return (await messages.jsonValue()) as readonly { data: unknown; origin: string }[];
}

const fails = async (payor: BrowserPayor) => {
  await payor.consent();
  await payor.chooseBank();
  await payor.logIn('other');
  await payor.chooseAccount();
  await payor.sees('The payment could not be made');
};

describeInBrowser('the return of control', (browser) => {
  test.each([
    ['JsEvents', preferring('JsEvents')],
    ['JsEvents with URLs', preferring('JsEvents', BOTH_URLS)],
    ['RedirectUri without URLs', preferring('RedirectUri')],
  ])(
    'A17, A61 %s: SUCCESS reaches the embedding page once, when the payor has signed',
    async (_mode, request) => {
      const visited = await visit(browser(), { request });
      await visited.payor.goToAgreement();
      expect(await messagesOf(visited)).toEqual([]);
      await visited.payor.sign();
      await visited.payor.sees('Thank you');
      const origin = visited.service.sandbox.url;
      expect(await messagesOf(visited)).toEqual([{ data: { Step: 'SUCCESS' }, origin }]);
      expect(visited.page.url()).toContain('/shop');
    },
  );

  test.each([
    ['JsEvents', preferring('JsEvents')],
    ['RedirectUri without urlExit', preferring('RedirectUri', ({ urlSuccess }) => ({ urlSuccess }))],
  ])(
    'A61 %s: EXIT reaches the embedding page when the payor leaves, who can come back',
    async (_mode, request) => {
      const visited = await visit(browser(), { request });
      await visited.payor.consent();
      await visited.payor.sees('Choose your bank');
      await visited.payor.press('Leave without paying');
      await visited.payor.sees('You have left the payment');
      expect((await messagesOf(visited)).map(({ data }) => data)).toEqual([{ Step: 'EXIT' }]);
      await visited.frame.getByRole('link', { name: 'Go back to it' }).click();
      await visited.payor.sees('Choose your bank');
    },
  );

  test('A61 JsEvents: after a failure EXIT waits until the payor has read why', async () => {
    const visited = await visit(browser(), { request: preferring('JsEvents', BOTH_URLS) });
    await fails(visited.payor);
    expect(await messagesOf(visited)).toEqual([]);
    await visited.payor.press('Back to the merchant');
    expect((await messagesOf(visited)).map(({ data }) => data)).toEqual([{ Step: 'EXIT' }]);
  });

  test('A61 an EFT that waits for its signature ends the visit with EXIT', async () => {
    const visited = await visit(browser());
    await visited.payor.goToAgreement();
    await visited.payor.press('Leave and sign later');
    await visited.payor.sees('You have left the payment');
    expect((await messagesOf(visited)).map(({ data }) => data)).toEqual([{ Step: 'EXIT' }]);
  });

  test('A61 messages go to the only origin that may embed the flow', async () => {
    const visited = await visit(browser(), { sandbox: ({ origin }) => ({ frameAncestors: [origin] }) });
    await visited.payor.sees('Your consent');
    await visited.payor.press('Leave without paying');
    await visited.payor.sees('You have left the payment');
    expect(await visited.frame.getAttribute('main', 'data-target')).toBe(visited.merchant.origin);
    expect((await messagesOf(visited)).map(({ data }) => data)).toEqual([{ Step: 'EXIT' }]);
  });

  test('A61 messages do not reach a page that is not the merchant’s', async () => {
    const elsewhere = preferring('JsEvents', () => ({ urlSuccess: 'https://shop.example/paid' }));
    const visited = await visit(browser(), { request: elsewhere });
    await visited.payor.sees('Your consent');
    await visited.payor.press('Leave without paying');
    await visited.payor.sees('You have left the payment');
    expect(await messagesOf(visited)).toEqual([]);
  });

  test('A60 only pages that are listed may embed the flow', async () => {
    const visited = await visit(browser(), { sandbox: () => ({ frameAncestors: ['https://shop.example'] }) });
    await visited.page.waitForFunction(`document.querySelector('#flow').dataset.loaded === 'yes'`);
    expect(visited.frame.url()).toMatch(/^chrome-error:/);
  });

  test('A61 RedirectUri: the whole window goes to urlSuccess', async () => {
    const visited = await visit(browser(), { request: preferring('RedirectUri', BOTH_URLS) });
    await visited.payor.goToAgreement();
    await visited.payor.sign();
    await visited.page.waitForURL(visited.merchant.urlSuccess);
  });

  test('A61 RedirectUri: the whole window goes to urlExit', async () => {
    const visited = await visit(browser(), { request: preferring('RedirectUri', BOTH_URLS) });
    await visited.payor.sees('Your consent');
    await visited.payor.press('Leave without paying');
    await visited.page.waitForURL(visited.merchant.urlExit);
  });

  test('A61 RedirectUri: after a failure, the payor’s click leads to urlExit', async () => {
    const visited = await visit(browser(), { request: preferring('RedirectUri', BOTH_URLS) });
    await fails(visited.payor);
    await visited.frame.getByRole('link', { name: 'Back to the merchant' }).click();
    await visited.page.waitForURL(visited.merchant.urlExit);
  });

  test('A61 RedirectUri: where the window may only go with a click, a link is there', async () => {
    const visited = await visit(browser(), {
      request: preferring('RedirectUri', BOTH_URLS),
      embed: {
        sandbox: 'allow-scripts allow-forms allow-same-origin allow-top-navigation-by-user-activation',
      },
    });
    const { payor, frame, page, merchant } = visited;
    await payor.sees('Your consent');
    // Submitted by a script, so that no click lets the window go anywhere.
    await frame.evaluate(`{
      const leave = document.querySelector('[value=leave]');
      leave.form.requestSubmit(leave);
    }`);
    await payor.sees('You have left the payment');
    expect(page.url()).toContain('/shop');
    await frame.getByRole('link', { name: 'Back to the merchant' }).click();
    await page.waitForURL(merchant.urlExit);
  });

  test('A61 opened by itself, the flow redirects, too, and without a URL it stays', async () => {
    for (const [urls, stays] of [
      [BOTH_URLS, false],
      [undefined, true],
    ] as const) {
      const merchant = await startMerchant();
      const service = await startService();
      const sessionId = await service.open(preferring('RedirectUri', urls)(merchant));
      const page = await browser().newPage();
      await page.goto(`${service.sandbox.url}/app/?sessionId=${sessionId}`);
      const payor = new BrowserPayor(page);
      await payor.goToAgreement();
      await payor.sign();
      if (stays) await payor.sees('Thank you');
      else await page.waitForURL(merchant.urlSuccess);
    }
  });
});
