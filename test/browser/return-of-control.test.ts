import { expect, test } from '@jest/globals';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import type { SandboxOptions } from '../../sandbox';
import { eft, startService, type RequestBuilder } from '../support/sandbox/requests-to-sandbox';
import { describeInBrowser } from '../support/worlds/chromium';
import { BrowserPayor } from './browser-payor';
import { startMerchant, type Merchant } from './merchant';

interface Visit {
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

const preferring = (mode: string, urls: (merchant: Merchant) => object) => (merchant: Merchant) =>
  eft().with('options.redirectPreferences', { mode, ...urls(merchant) });

const BOTH_URLS = ({ urlSuccess, urlExit }: Merchant) => ({ urlSuccess, urlExit });

/** Opens a merchant’s page that embeds the flow of a new session, on another origin. */
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
  return { merchant, page, frame, payor: new BrowserPayor(frame) };
}

/**
 * Returns the messages that the merchant’s page has received, and removes them there. Sends a mark first, and waits for it: messages
 * arrive in order, so all earlier messages have arrived before the mark.
 */
async function messagesOf({ page, frame }: Visit): Promise<readonly { data: unknown; origin: string }[]> {
  await frame.evaluate(`window.parent.postMessage('mark', '*')`);
  const messages = await page.waitForFunction(
    `messages.some(({ data }) => data === 'mark') && messages.splice(0).filter(({ data }) => data !== 'mark')`,
  );
  return (await messages.jsonValue()) as readonly { data: unknown; origin: string }[];
}

// A60 and A61 are rules of the contract (docs/contract.md).

// At its end, the hosted flow returns control to the merchant: it sends a message to the page (JsEvents) or navigates (RedirectUri).
describeInBrowser('the return of control', (browser) => {
  test('A61 messages are sent only to the origin that may embed the flow', async () => {
    const visited = await visit(browser(), { sandbox: ({ origin }) => ({ frameAncestors: [origin] }) });
    await visited.payor.sees('Your consent');
    await visited.payor.press('Leave without paying');
    await visited.payor.sees('You have left the payment');
    expect(await visited.frame.getAttribute('main', 'data-target')).toBe(visited.merchant.origin);
    expect((await messagesOf(visited)).map(({ data }) => data)).toEqual([{ Step: 'EXIT' }]);
  });

  test('A61 messages do not reach a page of another origin', async () => {
    const elsewhere = preferring('JsEvents', () => ({ urlSuccess: 'https://shop.example/paid' }));
    const visited = await visit(browser(), { request: elsewhere });
    await visited.payor.sees('Your consent');
    await visited.payor.press('Leave without paying');
    await visited.payor.sees('You have left the payment');
    expect(await messagesOf(visited)).toEqual([]);
  });

  test('A60 only origins that the sandbox’s options list may embed the flow', async () => {
    const visited = await visit(browser(), { sandbox: () => ({ frameAncestors: ['https://shop.example'] }) });
    await visited.page.waitForFunction(`document.querySelector('#flow').dataset.loaded === 'yes'`);
    expect(visited.frame.url()).toMatch(/^chrome-error:/);
  });

  test('A61 RedirectUri: if the browser allows a navigation only after a click, the page has a link', async () => {
    const visited = await visit(browser(), {
      request: preferring('RedirectUri', BOTH_URLS),
      embed: {
        sandbox: 'allow-scripts allow-forms allow-same-origin allow-top-navigation-by-user-activation',
      },
    });
    const { payor, frame, page, merchant } = visited;
    await payor.sees('Your consent');
    // A script submits the form. After a real click, the browser would allow the navigation.
    await frame.evaluate(`{
      const leave = document.querySelector('[value=leave]');
      leave.form.requestSubmit(leave);
    }`);
    await payor.sees('You have left the payment');
    expect(page.url()).toContain('/shop');
    await frame.getByRole('link', { name: 'Back to the merchant' }).click();
    await page.waitForURL(merchant.urlExit);
  });
});
