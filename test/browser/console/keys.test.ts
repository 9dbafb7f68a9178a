import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { leftOpen } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectGoodInEveryLook } from '../page-manners';
import { useSite } from './support/console-site';

// The list shows the newest sessions of a Temporal server. So these tests have their own server.
const temporal = useTemporalServer();
const world = useWorld(() => ({ temporalAddress: temporal.address }));
const site = useSite(world);

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

describeInBrowser('keyboard shortcuts', (_browser, another) => {
  test.each(['en-CA', 'fr-CA'] as const)(
    '%s: lead to the search and from row to row; the focus stays when a new row appears; a switch turns them off for good',
    async (locale) => {
      const [first, second] = [
        await world.sessions.open(world.input(leftOpen())),
        await world.sessions.open(world.input(leftOpen())),
      ];
      const page = await (await another({ locale })).newPage();
      const complaints = complaintsOf(page);
      await page.goto(`${site.url}/sessions`);
      const row = (key: string) => page.locator('a.key', { hasText: key });
      await row(second.session.key).waitFor();
      const newest = (await page.locator('tbody a.key').first().textContent()) ?? '';
      await page.keyboard.press('j');
      expect(await focused(page)).toBe(newest);
      await page.keyboard.press('j');
      const lower = await focused(page);
      expect(lower).not.toBe(newest);
      await page.keyboard.press('k');
      expect(await focused(page)).toBe(newest);
      const third = await world.sessions.open(world.input(leftOpen()));
      await row(third.session.key).waitFor();
      expect(await focused(page)).toBe(newest);

      await page.keyboard.press('/');
      await page.keyboard.type('j?');
      expect(await page.getByRole('searchbox').inputValue()).toBe('j?');
      await row(newest).focus();
      await page.keyboard.press('Control+j');
      expect(await focused(page)).toBe(newest);

      await page.keyboard.press('?');
      const list = page.getByRole('dialog');
      await list.waitFor();
      await expectGoodInEveryLook(page);
      await page.getByRole('checkbox').press('Space');
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'hidden' });
      await page.locator('[data-keys-opener]').press('Enter');
      await list.locator('[data-keys-close]').press('Enter');
      await list.waitFor({ state: 'hidden' });
      await page.reload();
      await row(newest).focus();
      await page.keyboard.press('j');
      expect(await focused(page)).toBe(newest);
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`/sessions/.*${newest.slice(-8)}`));
      expect(complaints).toEqual([]);
      await Promise.all([first, second, third].map(({ session }) => session.cancelAndWait()));
    },
  );

  test('are not mentioned on the page without scripts', async () => {
    const page = await (await another({ javaScriptEnabled: false })).newPage();
    await page.goto(`${site.url}/sessions`);
    expect(await page.locator('[data-keys-opener]').isVisible()).toBe(false);
  });
});
