import { expect, test } from '@jest/globals';
import { park } from '../../support/park';
import { leftOpen } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useWorld } from '../../support/worlds/use-world';
import { pathOf, useGuardedSite } from './support/console-site';
import { formOf, goTo, sendFrom } from './support/desk';

const world = useWorld();
const site = useGuardedSite(world);

const ACTS = ['refresh', 'cancel', 'adopt', 'retry', 'abandon', 'reveal'] as const;

const fieldsWith = (csrf: string | undefined, sessionId: string) => ({
  csrf: csrf ?? '',
  once: crypto.randomUUID(),
  reason: 'because',
  sessionId,
});

describeInBrowser('roles', (_browser, another) => {
  test('a viewer sees no buttons, is refused actions with their own cookie and token, and has their views logged', async () => {
    const { session, lost } = await park(world);
    const opened = await world.sessions.open(world.input(leftOpen()));
    site.become('Vic', 'viewer');
    const page = await (await another()).newPage();
    for (const { key } of [session, opened.session]) {
      await goTo(page, site, key);
      await page.getByText('Vic (viewer)').waitFor();
      expect(await page.locator('main a.button, main button:not(.copy)').count()).toBe(0);
      expect(await page.locator('main').innerText()).not.toContain('Tremblay');
      const csrf = await page.locator('header input[name=csrf]').getAttribute('value');
      expect(csrf).toMatch(/^[\w-]{43}$/);
      for (const act of ACTS) {
        const path = site.url + pathOf(key, `/${act}`);
        expect([act, (await page.goto(path))?.status()]).toEqual([act, 403]);
        await page.getByRole('heading', { name: 'Operators only' }).waitFor();
        expect(await page.locator('main form').count()).toBe(0);
        expect(await sendFrom(page, path, fieldsWith(csrf ?? '', lost))).toBe(403);
      }
      expect((await world.sessions.get(key).state()).decisions).toEqual([]);
      expect(site.lines).toContainEqual(expect.stringMatching(new RegExp(` Vic viewer look ${key} shown$`)));
    }
    expect(site.lines.join('\n')).not.toMatch(/ Vic viewer (?!look|login)/);
    await session.resolveCreate({ abandon: true });
    await opened.session.cancelAndWait();
  });

  test('an operator can act only with their own token, and a form that is sent again has no second effect', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const { key } = session;
    site.become('Robin', 'operator');
    const robins = await (await another()).newPage();
    await goTo(robins, site, key, '/refresh');
    const form = { ...(await formOf(robins)), reason: 'the payor called' };
    site.become('Avery', 'operator');
    const averys = await (await another()).newPage();
    await goTo(averys, site, key, '/refresh');
    const path = site.url + pathOf(key, '/refresh');
    expect(await sendFrom(averys, path, form)).toBe(403);
    expect((await session.state()).decisions).toEqual([]);

    await robins.getByLabel('Reason').fill('the payor called');
    await robins.getByRole('button', { name: 'Poll now' }).dblclick();
    await robins.getByText('Refreshed.').waitFor();
    // The form is sent again unchanged, and then with another reason.
    expect(await sendFrom(robins, path, form)).toBe(200);
    expect(await sendFrom(robins, path, { ...form, reason: 'another' })).toBe(409);
    await robins.goBack();
    await robins.goForward();
    await robins.reload();
    expect((await session.state()).decisions).toMatchObject([
      { decision: 'refresh', by: 'Robin', reason: 'the payor called', result: 'applied' },
    ]);
    expect((await session.state()).sessionId).toBe(sessionId);
    await session.cancelAndWait();
  });
});
