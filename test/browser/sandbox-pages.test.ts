import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { HttpPayor } from '../sandbox/flow/payor';
import { eft, eTransfer, geft, PAYEE, startService } from '../sandbox/support';
import { describeInBrowser } from '../support/worlds/chromium';
import { complaintsOf } from './complaints';
import { expectGood, NARROW } from './page-manners';

const LONG = 'A-reference-of-many-letters-without-any-space-in-it-whatsoever';
const WIDE = { width: 1280, height: 800 };

/** The page in light and wide, and in dark and narrow. */
async function expectGoodEverywhere(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  await expectGood(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(NARROW);
  await expectGood(page);
}

describeInBrowser('the sandbox’s own pages', (browser) => {
  test('empty and not, axe-core finds nothing and nothing is too wide, in light and in dark', async () => {
    const service = await startService();
    const page = await browser().newPage();
    const complaints = complaintsOf(page);
    for (const path of ['/', '/outbox']) {
      await page.goto(service.sandbox.url + path);
      await expectGoodEverywhere(page);
    }
    const sessionId = await service.open(
      eTransfer(LONG).with('options.notificationPreferences', { sendNetworkLink: true, language: 'FR' }),
    );
    for (const scenario of ['completed', 'identityFailed', 'bankValidated', 'expired'] as const)
      service.sandbox.act(await service.open(eft()), scenario);
    for (const path of ['/', '/?q=none', '/outbox', '/outbox?q=none', `/sessions/${sessionId}`]) {
      await page.goto(service.sandbox.url + path);
      await expectGoodEverywhere(page);
    }
    expect(complaints).toEqual([]);
  });

  test('a developer finds a session, plays its payor, reads its mail and resets, by keyboard', async () => {
    const service = await startService();
    await service.open(eft('lamp-1'));
    const desk = await service.open(eft('desk-2'));
    const page = await browser().newPage();
    const complaints = complaintsOf(page);
    await page.goto(service.sandbox.url);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.getByRole('searchbox').fill('desk');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=desk/);
    await page
      .getByRole('link', { name: desk.slice(0, 8), exact: true })
      .first()
      .click();
    await page.getByRole('button', { name: 'Complete the payment' }).press('Enter');
    await page.getByRole('heading', { name: /Completed EFT0301/ }).waitFor();
    await page.getByRole('link', { name: 'Read them in the outbox' }).click();
    await page.getByText('Your payment is complete').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Reset the sandbox…').press('Enter');
    await page.getByRole('button', { name: 'Forget everything' }).press('Enter');
    await page.getByText('A session is shown here as soon as').waitFor();
    expect(service.sandbox.session(desk)).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  test('the payor’s pages name the merchant, and are good in the dark', async () => {
    const service = await startService();
    const payor = new HttpPayor(service, await service.open(geft('order-7').with('payee', PAYEE)));
    const page = await browser().newPage();
    await page.emulateMedia({ colorScheme: 'dark' });
    await payor.open();
    for (const fields of [{ institution: '' }, { institution: 'boreal' }, { username: 'x', password: 'x' }]) {
      await page.setContent(payor.text);
      expect(await page.getByText('Sample Merchant').count()).toBe(1);
      await expectGood(page);
      await payor.submit(fields);
    }
  });
});
