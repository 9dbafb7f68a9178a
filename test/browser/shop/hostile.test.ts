import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Frame } from 'playwright-core';
import { describeInBrowser } from '../../support/worlds/chromium';
import { openShop, type OpenShop } from '../../support/worlds/shop';
import { createWorld, type World } from '../../support/worlds/world';
import { BrowserPayor } from '../browser-payor';
import { expectMarkupBlocked } from '../injected-markup';
import { Buyer } from './support/buyer';

const ATTACK = `"'><img src=x onerror=alert(1)><script>alert(2)</script>\${alert(3)}`;

let world: World;
let shop: OpenShop;
/** A site that is neither the shop nor the payment service. */
let elsewhere: Server;

beforeAll(async () => {
  world = await createWorld();
  const attack = { EN: ATTACK, FR: ATTACK };
  const hostileProduct = { id: 'lamp', name: attack, description: attack, price: 25 };
  shop = await openShop(world, { products: [hostileProduct] });
  elsewhere = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>elsewhere</title>');
  });
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
});

afterAll(async () => {
  elsewhere.close();
  elsewhere.closeAllConnections();
  await shop.close();
  await world.close();
});

const elsewhereUrl = () => `http://localhost:${(elsewhere.address() as AddressInfo).port}/`;

/** Returns a buyer whose page embeds the flow, and a growing list of the URLs to which the page sends forms. */
async function orderAndWatch(browser: Parameters<typeof Buyer.enter>[0]) {
  const buyer = await Buyer.enter(browser);
  const orderId = await buyer.order(shop.url);
  const payor = await buyer.payor();
  await payor.sees('Your consent');
  const asked: string[] = [];
  buyer.page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(request.url());
  });
  return { buyer, orderId, payor, asked };
}

/** Sends a message from another window to the embedding page, and waits until it has arrived. */
async function send(buyer: Buyer, from: Frame, to = 'parent'): Promise<{ readonly origin: string }> {
  const before = await buyer.page.evaluate<number>('window.messages.length');
  await from.evaluate(`${to}.postMessage({ Step: 'SUCCESS' }, '*')`);
  await buyer.page.waitForFunction(`window.messages.length > ${before}`);
  return buyer.page.evaluate<{ readonly origin: string }>('window.messages.at(-1)');
}

/** Expects that the page was not affected: it shows the flow, has sent no form, and still reacts to the flow. */
async function expectUnmoved({ buyer, asked }: Awaited<ReturnType<typeof orderAndWatch>>): Promise<void> {
  expect(asked).toEqual([]);
  const payor = await buyer.payor();
  await payor.press('Leave without paying');
  await buyer.flowIsGone();
  expect(asked.filter((url) => url.endsWith('/refresh'))).toHaveLength(1);
}

const embed = (src: string) => `{
  const frame = Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(src)} });
  document.body.append(frame);
}`;

// A61 is a rule of the contract (docs/contract.md).

describeInBrowser('the shop’s page', (browser) => {
  test('A61 ignores a message from itself', async () => {
    const watched = await orderAndWatch(browser());
    const { origin } = await send(watched.buyer, watched.buyer.page.mainFrame(), 'window');
    expect(origin).toBe(shop.url);
    await expectUnmoved(watched);
  });

  test('A61 ignores a message from another window of the payment service', async () => {
    const watched = await orderAndWatch(browser());
    const { buyer } = watched;
    const opened = buyer.context.waitForEvent('page');
    await watched.payor.view.evaluate(`window.open(location.href)`);
    const other = await opened;
    await new BrowserPayor(other).sees('Your consent');
    const { origin } = await send(buyer, other.mainFrame(), 'opener.parent');
    expect(origin).toBe(world.sandbox.url);
    await other.close();
    await expectUnmoved(watched);
  });

  test('A61 cannot embed a frame of another site', async () => {
    const { buyer, asked } = await orderAndWatch(browser());
    await buyer.page.evaluate(embed(elsewhereUrl()));
    await buyer.page.waitForFunction(`document.querySelectorAll('iframe').length === 2`);
    expect(buyer.complaints.join()).toContain('frame-src');
    expect(asked).toEqual([]);
  });

  test('A61 ignores messages of other shapes', async () => {
    const watched = await orderAndWatch(browser());
    const flow = watched.payor.view as Frame;
    await flow.evaluate(`for (const data of [null, 7, 'SUCCESS', [], { step: 'SUCCESS' }, { Step: 1 }, { Step: ['EXIT'] },
      { Step: 'success' }, { Step: '' }]) parent.postMessage(data, '*')`);
    await watched.buyer.page.waitForFunction('window.messages.length === 9');
    expect(watched.buyer.complaints).toEqual([]);
    await expectUnmoved(watched);
  });
});

describeInBrowser('a text from a merchant or payor', (browser) => {
  test('is shown as text, and script code in it never runs', async () => {
    const buyer = await Buyer.enter(browser());
    await buyer.page.goto(shop.url);
    await buyer.page.getByRole('heading', { name: ATTACK }).waitFor();
    const fields = { 'First name': ATTACK, 'Last name': ATTACK, Street: ATTACK, City: ATTACK };
    await buyer.page.goto(`${shop.url}/buy/lamp`);
    for (const [label, text] of Object.entries({
      ...fields,
      Email: ATTACK,
      Province: ATTACK,
      'Postal code': ATTACK,
    })) {
      await buyer.page.getByLabel(label, { exact: true }).fill(text);
    }
    await buyer.press('Order and pay');
    await buyer.page.getByRole('alert').waitFor();
    expect(await buyer.page.getByLabel('Email', { exact: true }).inputValue()).toBe(ATTACK);
    // The page shows an invalid form again with the status 422. The browser’s console reports that status.
    expect(buyer.complaints.filter((text) => !text.includes('422'))).toEqual([]);
    await buyer.order(shop.url, fields);
    await buyer.page.getByText(ATTACK).waitFor();
    await buyer.sees('Waiting for your payment');
    expect(await buyer.page.locator('img').count()).toBe(0);
    expect(await (await buyer.payor()).view.title()).not.toBe('');
    expect(buyer.complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  test('is shown as text if it is a session’s status', async () => {
    const buyer = await Buyer.enter(browser());
    const event = {
      headline: ATTACK,
      detail: ATTACK,
      tone: ATTACK,
      flow: 'gone',
      cancellable: false,
      ended: true,
      history: [{ status: ATTACK, code: ATTACK, firstSeenAt: ATTACK, source: ATTACK }],
    };
    await buyer.page.route('**/events', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(event)}\n\n` }),
    );
    await buyer.order(shop.url);
    await buyer.sees(ATTACK);
    expect(await buyer.page.locator('img').count()).toBe(0);
    expect(buyer.complaints).toEqual([]);
  });

  test('could not run, load or send anything if it became markup of the page', async () => {
    const { buyer } = await orderAndWatch(browser());
    await expectMarkupBlocked(buyer.page);
  });
});
