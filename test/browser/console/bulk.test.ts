import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useSandbox } from '../../support/worlds/sandbox';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectGoodInEveryLook } from '../page-manners';
import { useSite } from './support/console-site';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** An account that only these tests use, so that a bulk action here changes no session of other tests. */
const ACCOUNT = `bulk-${randomUUID().slice(0, 8)}`;
const service = useSandbox({ paceMs: 50 });
const world = useWorld(() => {
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  return { otherAccounts: { [ACCOUNT]: { baseUrl: service.url, clientId, clientSecret } } };
});
const site = useSite(world);

const openOne = async () =>
  (await world.sessions.open({ ...world.input(leftOpen()), account: ACCOUNT })).session;

describeInBrowser('an action on all sessions of a list', (_browser, another) => {
  test.each(['en-CA', 'fr-CA'] as const)(
    '%s: works by keyboard, from the list to the results; axe-core finds nothing on both pages',
    async (locale) => {
      const sessions = [await openOne(), await openOne()];
      const page = await (await another({ locale })).newPage();
      const complaints = complaintsOf(page);
      const shown = (key: string) => page.locator('a.key', { hasText: key });
      await page.goto(`${site.url}/sessions?account=${ACCOUNT}&phase=open`);
      for (const { key } of sessions) await shown(key).waitFor();
      await page.locator('a[href^="/bulk/cancel"]').press('Enter');
      await page.locator('textarea').fill('the shop was closed');
      await expectGoodInEveryLook(page);
      await page.locator('main form button').press('Enter');
      await page.waitForURL(/\/bulk\/results\//);
      for (const { key } of sessions) await shown(key).waitFor();
      await expectGoodInEveryLook(page);
      expect(complaints).toEqual([]);
      for (const session of sessions) expect(await session.result()).toMatchObject({ status: 'Cancelled' });
    },
  );
});
