import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import type { SandboxOptions } from '../../sandbox';
import {
  eft,
  geft,
  PAYEE,
  startService,
  type RequestBuilder,
  type Service,
} from '../support/sandbox/requests-to-sandbox';
import { describeInBrowser } from '../support/worlds/chromium';
import { BrowserPayor } from './browser-payor';
import { complaintsOf } from './complaints';
import { expectMarkupBlocked } from './injected-markup';

interface Visit {
  readonly service: Service;
  readonly sessionId: string;
  readonly url: string;
  readonly page: Page;
  readonly payor: BrowserPayor;
  /** The browser’s complaints: blocked scripts and styles, failed loads, errors and dialogs. */
  readonly complaints: readonly string[];
  /** The method and the URL of each request of the browser. */
  readonly requests: readonly string[];
}

async function visit(
  browser: BrowserContext,
  request: RequestBuilder,
  options?: SandboxOptions,
): Promise<Visit> {
  const service = await startService(options);
  const sessionId = await service.open(request);
  const url = `${service.sandbox.url}/app/?sessionId=${sessionId}`;
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  const requests: string[] = [];
  page.on('request', (made) => requests.push(`${made.method()} ${made.url()}`));
  await page.goto(url);
  return { service, sessionId, url, page, payor: new BrowserPayor(page), complaints, requests };
}

const stateOf = ({ service, sessionId }: Visit) => {
  const { status, code } = service.sandbox.session(sessionId)?.state ?? {};
  return [status, code].join(' ');
};

// A54, A57, A60 and A62 are rules of the contract (docs/contract.md).

describeInBrowser('the flow in a browser', (browser, another) => {
  test('A60 completes a regular EFT by mouse, requests only its own pages, and causes no complaints of the browser', async () => {
    const visited = await visit(browser(), eft());
    await visited.payor.goToAgreement();
    await visited.payor.sign();
    await visited.payor.sees('Thank you');
    expect(stateOf(visited)).toBe('Completed EFT0301');
    expect(visited.complaints).toEqual([]);
    expect(new Set(visited.requests)).toEqual(new Set([`GET ${visited.url}`, `POST ${visited.url}`]));
  });

  test('A60 completes a regular EFT with the keyboard alone', async () => {
    const visited = await visit(browser(), eft());
    const { payor, page } = visited;
    const tabTo = async (name: string) => {
      for (let count = 0; count < 20; count += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(
          `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
        );
        if (String(focused).startsWith(name)) return;
      }
      throw new Error(`the Tab key does not lead to ${name}`);
    };
    await tabTo('I agree');
    await page.keyboard.press('Enter');
    await payor.sees('Choose your bank');
    await tabTo('Boreal Bank');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await payor.sees('Log in to your bank');
    await page.getByText('Harbour Credit Union').waitFor();
    await tabTo('Username');
    await page.keyboard.type('payor');
    await tabTo('Password');
    await page.keyboard.type('sandbox');
    await page.keyboard.press('Enter');
    await payor.sees('Choose an account');
    await tabTo('Everyday chequing');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await payor.sees('Confirm the amount');
    await tabTo('Confirm');
    await page.keyboard.press('Space');
    await payor.sees('Sign the pre-authorized debit agreement');
    await tabTo('I have read');
    await page.keyboard.press('Space');
    await tabTo('Your full name');
    await page.keyboard.type('Avery Tremblay');
    await page.keyboard.press('Enter');
    await payor.sees('Thank you');
    expect(stateOf(visited)).toBe('Completed EFT0301');
  });

  test('A60 the list of problems gets the focus, and links to the fields', async () => {
    const { payor, page } = await visit(browser(), eft());
    await payor.consent();
    await payor.sees('Choose your bank');
    await payor.press('Continue');
    await page.getByRole('alert').waitFor();
    await page.waitForFunction(`document.activeElement.className === 'problems'`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.activeElement.name === 'institution'`);
  });

  test('A60 a second click on a button sends no second request', async () => {
    const visited = await visit(browser(), eft());
    await visited.payor.sees('Your consent');
    const prevented = await visited.page.evaluate(`{
      const prevented = [];
      window.addEventListener('submit', ({ defaultPrevented }) => prevented.push(defaultPrevented));
      const button = document.querySelector('[value=continue]');
      button.click();
      button.click();
      prevented;
    }`);
    expect(prevented).toEqual([false, true]);
    await visited.payor.sees('Choose your bank');
    const posted = visited.service.sandbox.calls.filter(({ route }) => route === 'hostedFlowStep');
    expect(posted.map(({ status }) => status)).toEqual([303]);
  });

  test('A60 shows the session’s current step when the payor goes back in the browser', async () => {
    const { payor, page } = await visit(browser(), eft());
    await payor.consent();
    await payor.chooseBank();
    await payor.logIn('x', 'x');
    await page.getByRole('alert').waitFor();
    await payor.logIn();
    await payor.chooseAccount();
    await payor.sees('Confirm the amount');
    await page.goBack();
    await payor.sees('Confirm the amount');
    await page.reload();
    await payor.confirmAmount();
    await payor.sees('Sign the pre-authorized debit agreement');
  });

  test('A60 if two tabs show one session, the tab that is behind shows a message, and continues from the current step', async () => {
    const visited = await visit(browser(), eft());
    const { payor, page, url } = visited;
    const otherPage = await page.context().newPage();
    const other = new BrowserPayor(otherPage);
    await otherPage.goto(url);
    // The browser draws a background tab only once a second, so the tab is brought to the front.
    await page.bringToFront();
    await payor.consent();
    await payor.chooseBank();
    await payor.logIn();
    await payor.sees('Choose an account');
    await otherPage.bringToFront();
    await other.press('I agree');
    await other.sees('Choose an account');
    await otherPage.getByText('That page was out of date.').waitFor();
    await other.chooseAccount();
    await other.confirmAmount();
    await other.sign();
    await other.sees('Thank you');
    await page.bringToFront();
    await payor.chooseAccount(/Student account/);
    await payor.sees('This session is over.');
    expect(stateOf(visited)).toBe('Completed EFT0301');
  });

  test('A54, A57, A62 shows that the session is over if it is cancelled or expires during the flow', async () => {
    const cancelled = await visit(browser(), eft());
    await cancelled.service.cancel(cancelled.sessionId);
    await cancelled.payor.consent();
    await cancelled.payor.sees('This session is over.');
    const expired = await visit(browser(), eft());
    expired.service.clock.advance(15 * 60_000);
    await expired.payor.consent();
    await expired.payor.sees('This session is over.');
    expect([stateOf(cancelled), stateOf(expired)]).toEqual(['Cancelled EFT0501', 'Expired EFT0601']);
  });

  test('A60 does not run script code in a text of a merchant or a payor', async () => {
    const attack = `"'><img src=x onerror=alert(1)><script>alert(2)</script>`;
    const visited = await visit(
      browser(),
      geft()
        .with('payor.firstName', attack)
        .with('payor.lastName', attack)
        .with('payor.address.addressLine1', attack)
        .with('payee', PAYEE)
        .with('accountLabel', attack)
        .with('referenceId', attack),
    );
    const { payor, page, service } = visited;
    await payor.consent();
    await payor.chooseBank();
    await payor.logIn(attack, attack);
    await page.getByRole('alert').waitFor();
    await payor.logIn();
    await payor.chooseAccount();
    await payor.confirmAmount();
    await page.getByText(attack).waitFor();
    await page.getByLabel('Your full name').fill(attack);
    await payor.press('Sign');
    await page.getByRole('alert').waitFor();
    for (const path of ['/', '/outbox']) {
      await page.goto(service.sandbox.url + path);
      expect(await page.locator('img, script').count()).toBe(0);
    }
    // The page shows an invalid form again with the status 422. The browser’s console reports that status.
    expect(visited.complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  test('A60 blocks injected markup: it cannot run, load or send anything', async () => {
    const { payor, page } = await visit(browser(), eft());
    await payor.sees('Your consent');
    await expectMarkupBlocked(page);
  });

  test('A60 works without scripts', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const page = await (await another({ javaScriptEnabled: false })).newPage();
    await page.goto(`${service.sandbox.url}/app/?sessionId=${sessionId}`);
    const payor = new BrowserPayor(page);
    await payor.goToAgreement();
    await payor.sign();
    await payor.sees('Thank you');
  });
});
