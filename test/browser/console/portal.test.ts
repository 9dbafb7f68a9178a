import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectGoodInEveryLook } from '../page-manners';
import { serveSite } from './support/console-site';
import { goTo } from './support/desk';

const world = useWorld();

const PORTAL = 'http://127.0.0.1:9/{account}/{sessionId}?of={referenceId}#{key}';

const NAMES = {
  'en-CA': 'Open in the payment service’s portal',
  'fr-CA': 'Ouvrir dans le portail du service de paiement',
} as const;

describeInBrowser('the payment service’s portal', (_browser, another) => {
  test('is linked on a session’s page in both languages and without scripts, and is not linked if the reference is masked', async () => {
    const { client, sessions, taskQueue } = world;
    const site = await serveSite({ client, sessions, taskQueue, portalUrl: PORTAL });
    try {
      const request = { ...leftOpen(), referenceId: 'INV-7' };
      const shown = await sessions.open(world.input(request));
      const masked = await sessions.open(world.input(request, { indexReference: false }));
      const address = `http://127.0.0.1:9/default/${shown.sessionId}?of=INV-7#${encodeURIComponent(shown.session.key)}`;
      for (const locale of ['en-CA', 'fr-CA'] as const)
        for (const javaScriptEnabled of [true, false]) {
          const page = await (await another({ locale, javaScriptEnabled })).newPage();
          const complaints = complaintsOf(page);
          await goTo(page, site, shown.session.key);
          const link = page.getByRole('link', { name: NAMES[locale], exact: true });
          expect(await link.getAttribute('href')).toBe(address);
          if (javaScriptEnabled) {
            await expectGoodInEveryLook(page);
            const asked = page.waitForRequest((sent) => sent.url().startsWith('http://127.0.0.1:9/'));
            await link.press('Enter');
            expect((await asked).headers()['referer']).toBeUndefined();
          }
          await goTo(page, site, masked.session.key);
          expect(await link.count()).toBe(0);
          expect(complaints.filter((text) => !text.includes('ERR_'))).toEqual([]);
        }
      await Promise.all([shown, masked].map(({ session }) => session.cancelAndWait()));
    } finally {
      await site.close();
    }
  });
});
