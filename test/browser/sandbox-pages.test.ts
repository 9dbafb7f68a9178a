import { expect, test } from '@jest/globals';
import { eft, eTransfer, startService } from '../support/sandbox/requests-to-sandbox';
import { describeInBrowser } from '../support/worlds/chromium';
import { complaintsOf } from './complaints';
import { expectGoodInEveryLook } from './page-manners';

const LONG = 'A-reference-of-many-letters-without-any-space-in-it-whatsoever';

describeInBrowser('the sandbox’s own pages', (browser) => {
  test('have no axe-core violation and nothing too wide, with and without sessions, at all widths, in light and dark', async () => {
    const service = await startService();
    const page = await browser().newPage();
    const complaints = complaintsOf(page);
    for (const path of ['/', '/outbox']) {
      await page.goto(service.sandbox.url + path);
      await expectGoodInEveryLook(page);
    }
    const sessionId = await service.open(
      eTransfer(LONG).with('options.notificationPreferences', { sendNetworkLink: true, language: 'FR' }),
    );
    for (const scenario of ['completed', 'identityFailed', 'bankValidated', 'expired'] as const)
      service.sandbox.act(await service.open(eft()), scenario);
    for (const path of ['/', '/?q=none', '/outbox', '/outbox?q=none', `/sessions/${sessionId}`]) {
      await page.goto(service.sandbox.url + path);
      await expectGoodInEveryLook(page);
    }
    expect(complaints).toEqual([]);
  });

  test('let a developer find a session, play its payor, read its mail and reset the sandbox by keyboard', async () => {
    const service = await startService();
    await service.open(eft('lamp-1'));
    const desk = await service.open(eft('desk-2'));
    const page = await browser().newPage();
    const complaints = complaintsOf(page);
    await page.goto(service.sandbox.url);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
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
    await page.getByRole('button', { name: 'Delete everything' }).press('Enter');
    await page.getByText('A session is shown here as soon as').waitFor();
    expect(service.sandbox.session(desk)).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});
