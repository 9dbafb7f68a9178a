import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { describeInBrowser } from '../support/worlds/chromium';
import {
  closePages,
  embedIn,
  frameAt,
  MODULE,
  post,
  servePages,
  reportsAfter,
  type Origins,
} from './embedding';

let at: Origins;

beforeAll(async () => {
  at = await servePages();
});

afterAll(closePages);

const embedded = (browser: BrowserContext, options = '') => embedIn(browser, at, options);

// A60 and A61 are rules of the contract (docs/contract.md).

test('the embed module is a few kilobytes, and imports no other module', () => {
  expect(MODULE.length).toBeLessThan(4_096);
  expect(gzipSync(MODULE).length).toBeLessThan(2_048);
  expect(MODULE).not.toMatch(/^\s*import\b|\brequire\(/m);
});

test('the embed module can be required from CommonJS, without a browser', () => {
  const module = jest.requireActual<{ readonly embedCheckout: unknown }>('paysession/embed');
  expect(typeof module.embedCheckout).toBe('function');
});

describeInBrowser('the embedded flow', (browser) => {
  test('A61 reports success, exit and other steps', async () => {
    const { page, frame } = await embedded(browser());
    for (const Step of ['BANK_CHOSEN', 'EXIT', 'later', 'SUCCESS']) await post(frame, { Step, more: 1 });
    await page.waitForFunction('reports.length === 4');
    expect((await page.evaluate<string[]>('reports')).sort()).toEqual([
      'exit',
      'step BANK_CHOSEN',
      'step later',
      'success',
    ]);
  });

  test('A61 ignores other steps if the page has no listener for them', async () => {
    const { page, frame } = await embedded(browser(), 'onStep: undefined');
    await post(frame, { Step: 'toString' });
    await post(frame, { Step: 'EXIT' });
    await page.waitForFunction('reports.length === 1');
    expect(await page.evaluate('reports')).toEqual(['exit']);
  });

  test('A61 ignores messages that are not steps', async () => {
    const { page, frame } = await embedded(browser());
    const data = [
      null,
      7,
      'SUCCESS',
      [],
      ['SUCCESS'],
      {},
      { step: 'SUCCESS' },
      { Step: 1 },
      { Step: ['EXIT'] },
    ];
    for (const each of data) await post(frame, each);
    expect(await reportsAfter(page, data.length)).toEqual([]);
  });

  test('A61 ignores a message from another window with the flow’s origin', async () => {
    const { page } = await embedded(browser());
    await page.evaluate(`{
      const other = Object.assign(document.createElement('iframe'), { src: '${at.flow}/other' });
      document.body.append(other);
    }`);
    await post(await frameAt(page, `${at.flow}/other`), { Step: 'SUCCESS' });
    expect(await reportsAfter(page, 1)).toEqual([]);
    expect(await page.evaluate('heard[0].origin')).toBe(at.flow);
  });

  test('A61 ignores a message from the flow’s window with another origin', async () => {
    const { page, frame } = await embedded(browser());
    await frame.evaluate(`location.href = '${at.elsewhere}/'`);
    await post(await frameAt(page, at.elsewhere), { Step: 'SUCCESS' });
    expect(await reportsAfter(page, 1)).toEqual([]);
    expect(await page.evaluate('heard[0].origin')).toBe(at.elsewhere);
  });

  test('A61 ignores a message from the page itself, and a message without a window', async () => {
    const { page } = await embedded(browser());
    await page.evaluate(`postMessage({ Step: 'SUCCESS' }, '*')`);
    await page.evaluate(
      `dispatchEvent(new MessageEvent('message', { data: { Step: 'EXIT' }, origin: '${at.flow}' }))`,
    );
    expect(await reportsAfter(page, 2)).toEqual([]);
  });

  test('calls the `refresh` hook at once, and reports the end after the hook has settled', async () => {
    const { page, frame } = await embedded(
      browser(),
      `refresh: (step) => new Promise((done) => { reports.push('refresh ' + step); window.settle = done; }), refreshTimeoutMs: 240_000`,
    );
    await post(frame, { Step: 'SUCCESS' });
    expect(await reportsAfter(page, 1)).toEqual(['refresh SUCCESS']);
    await page.evaluate('settle()');
    await page.waitForFunction('reports.length === 2');
    expect(await page.evaluate('reports')).toEqual(['refresh SUCCESS', 'success']);
  });

  test.each([
    ['throws', `() => { throw new Error('no'); }`, ['error no', 'exit']],
    ['is rejected', `() => Promise.reject(new Error('no'))`, ['error no', 'exit']],
    ['never settles', `() => new Promise(() => undefined), refreshTimeoutMs: 50`, ['exit']],
  ])('still reports the end if the hook %s', async (_what, hook, reports) => {
    const { page, frame } = await embedded(browser(), `refresh: ${hook}`);
    await post(frame, { Step: 'EXIT' });
    await page.waitForFunction(`reports.includes('exit')`);
    expect(await page.evaluate('reports')).toEqual(reports);
  });

  test('has no frame and reports nothing after it is closed, not even an end that the hook delayed', async () => {
    const { page, frame } = await embedded(
      browser(),
      `refresh: () => new Promise((done) => { window.settle = done; })`,
    );
    await post(frame, { Step: 'SUCCESS' });
    await page.waitForFunction(`'settle' in window`);
    await page.evaluate(`{
      const { contentWindow } = embedded.iframe;
      embedded.close();
      embedded.close();
      settle();
      // As if the flow sent a step after it was closed.
      dispatchEvent(new MessageEvent('message', { data: { Step: 'late' }, origin: '${at.flow}', source: contentWindow }));
    }`);
    expect(await reportsAfter(page, 2)).toEqual([]);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('ignores a message without a window after the page has removed the frame', async () => {
    const { page } = await embedded(browser());
    await page.evaluate(`{
      embedded.iframe.remove();
      dispatchEvent(new MessageEvent('message', { data: { Step: 'SUCCESS' }, origin: '${at.flow}', source: null }));
    }`);
    expect(await reportsAfter(page, 1)).toEqual([]);
  });

  test('reports its steps only to its own listener if a page embeds two flows', async () => {
    const { page, frame } = await embedded(browser());
    await page.evaluate(
      `embed({ checkoutUrl: '${at.flow}/second', onSuccess: () => reports.push('second') })`,
    );
    await frameAt(page, `${at.flow}/second`);
    await post(frame, { Step: 'SUCCESS' });
    await page.waitForFunction('reports.length === 1');
    expect(await page.evaluate('reports')).toEqual(['success']);
  });

  test('A60 has a name, receives the merchant’s origin but not the page’s URL, and has no permissions', async () => {
    const { page, frame } = await embedded(browser(), `title: 'Payment of order 7'`);
    await page.getByTitle('Payment of order 7').waitFor();
    expect(await frame.evaluate('document.referrer')).toBe(`${at.merchant}/`);
    expect(
      await frame.evaluate(
        `['camera', 'geolocation', 'payment'].map((name) => document.featurePolicy.allowsFeature(name))`,
      ),
    ).toEqual([false, false, false]);
    expect(await frame.evaluate('origin')).toBe(at.flow);
  });

  test('A61 RedirectUri: can navigate the whole window without a click', async () => {
    const { page, frame } = await embedded(browser());
    // The navigation starts after this call. Otherwise, the end of the frame would interrupt the call.
    await frame.evaluate(`void setTimeout(() => (top.location.href = '${at.merchant}/paid'))`);
    await page.waitForURL(`${at.merchant}/paid`);
  });

  test('A61 can open other windows without restrictions', async () => {
    const { page, frame } = await embedded(browser());
    const opened = page.waitForEvent('popup');
    await frame.getByText('open').click();
    const own = await opened;
    expect(await own.evaluate('origin')).toBe(at.flow);
    // In a restricted window, `confirm` would show no dialog and return false.
    own.on('dialog', (dialog) => void dialog.accept());
    expect(await own.evaluate(`confirm('Sure?')`)).toBe(true);
  });

  test('throws for a checkout URL that is not an absolute http or https URL', async () => {
    const page = await browser().newPage();
    await page.goto(at.merchant);
    const urls = [`javascript:parent.reports.push('ran')`, 'data:text/html,x', 'about:blank', '/app/', ''];
    const refused = await page.evaluate(`${JSON.stringify(urls)}.map((checkoutUrl) => {
      try { embed({ checkoutUrl }); } catch (error) { return error.name; }
    })`);
    expect(refused).toEqual(urls.map(() => 'TypeError'));
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.evaluate('reports')).toEqual([]);
  });
});
