import { beforeEach, afterEach, test } from '@jest/globals';
import { LiveSite } from '../../browser/shell/live-site';
import { describeInBrowser } from '../../support/worlds/chromium';

const SOON = { timeout: 5_000 };

describeInBrowser('a page of the console', (browser) => {
  let site: LiveSite;
  beforeEach(async () => {
    site = new LiveSite();
    await site.start();
  });
  afterEach(() => site.stop());

  test.each([
    ['has stopped', () => site.stop()],
    [
      'sends nothing',
      () => {
        site.beats = false;
        return Promise.resolve();
      },
    ],
  ])('shows within 5 s that the server %s', async (_how, lose) => {
    const page = await browser().newPage();
    await page.goto(site.url);
    await site.watched();
    await lose();
    await page
      .getByRole('status')
      .filter({ hasText: /^Connection lost/ })
      .waitFor(SOON);
  });
});
