import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectGoodInEveryLook } from '../page-manners';
import { useSite } from './support/console-site';
import { goTo } from './support/desk';

const world = useWorld();
const site = useSite(world);

const WORDS = {
  'en-CA': {
    copy: 'Copy: ',
    said: 'Copied',
    id: 'Payment service session id',
    url: 'The payor’s page',
    key: 'Key',
  },
  'fr-CA': {
    copy: 'Copier : ',
    said: 'Copié',
    id: 'Identifiant de session du service de paiement',
    url: 'La page du payeur',
    key: 'Clé',
  },
} as const;

const REFERENCE = { 'en-CA': 'Reference', 'fr-CA': 'Référence' } as const;

describeInBrowser('a copy button', (_browser, another) => {
  test.each(['en-CA', 'fr-CA'] as const)(
    '%s: copies the key, reference, session id or checkout URL by keyboard, and keeps the focus when the page changes',
    async (locale) => {
      const input = world.input({ ...leftOpen(), referenceId: 'INV-2031-7' });
      const { session, sessionId, checkoutUrl } = await world.sessions.open(input);
      const context = await another({ locale, permissions: ['clipboard-read', 'clipboard-write'] });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await goTo(page, site, session.key);
      const words = WORDS[locale];
      const button = (what: string) => page.getByRole('button', { name: words.copy + what, exact: true });
      const copied = async (what: string) => {
        await button(what).press('Enter');
        await page.locator('[aria-live]').getByText(words.said, { exact: true }).waitFor();
        return page.evaluate<string>('navigator.clipboard.readText()');
      };
      expect(await copied(words.key)).toBe(session.key);
      expect(await copied(REFERENCE[locale])).toBe('INV-2031-7');
      expect(await copied(words.url)).toBe(checkoutUrl);
      expect(await copied(words.id)).toBe(sessionId);
      await expectGoodInEveryLook(page);
      // The page’s new content has a new button, and no action buttons before it.
      await button(words.id).focus();
      await page.evaluate(`document.querySelector('[data-live] section').dataset.old = ''`);
      await session.cancelAndWait();
      await page.locator('[data-old]').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe(words.copy + words.id);
      expect(complaints).toEqual([]);
    },
  );

  test('is missing next to masked text, in a browser that cannot copy, and without scripts', async () => {
    const hidden = world.input({ ...leftOpen(), referenceId: 'INV-2031-8' }, { indexReference: false });
    const { session } = await world.sessions.open(hidden);
    const able = await (await another()).newPage();
    await goTo(able, site, session.key);
    await able.getByRole('button', { name: 'Copy: Key', exact: true }).waitFor();
    expect(await able.getByRole('button', { name: 'Copy: Reference', exact: true }).count()).toBe(0);
    const unable = await another();
    await unable.addInitScript('delete Navigator.prototype.clipboard');
    const scriptless = await another({ javaScriptEnabled: false });
    for (const context of [unable, scriptless]) {
      const page = await context.newPage();
      await goTo(page, site, session.key);
      await page.getByRole('heading', { name: session.key }).waitFor();
      expect(await page.locator('.copy').count()).toBe(0);
    }
    await session.cancelAndWait();
  });
});
