import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../../src/protocol/names';
import { leftOpen } from '../../support/requests';
import { stateOf } from '../../support/wait';
import { describeInBrowser } from '../../support/worlds/chromium';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectMarkupBlocked } from '../injected-markup';
import { pathOf, useGuardedSite } from './support/console-site';
import { decide, formOf, goTo } from './support/desk';

const world = useWorld();
const site = useGuardedSite(world);

/** A page of another site, from which an attacker sends forged requests. */
const evil = use(
  async () => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>A page</title>');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  },
  (page) => Promise.resolve(page.close()),
);

const ATTACK = `"'><img src=x onerror=alert(1)><script>alert(2)</script></textarea></title>\${alert(3)}`;

/** A request with script code in each of its texts and in the names of fields. */
const HOSTILE = {
  type: ATTACK,
  direction: ATTACK,
  currency: ATTACK,
  amount: 25,
  accountLabel: ATTACK,
  [ATTACK]: ATTACK,
  options: {
    guarantee: { enable: false, [ATTACK]: ATTACK },
    notificationPreferences: { language: ATTACK },
    redirectPreferences: { mode: ATTACK, urlSuccess: 'javascript:alert(4)', urlExit: ATTACK },
  },
  payor: {
    firstName: ATTACK,
    lastName: ATTACK,
    email: ATTACK,
    middleName: ATTACK,
    occupation: ATTACK,
    birthDate: ATTACK,
    address: { addressLine1: ATTACK, unit: ATTACK, city: ATTACK, province: ATTACK, postalCode: ATTACK },
  },
  payee: { account: { accountNumber: ATTACK, accountLabel: ATTACK }, accountLabel: ATTACK },
};

/** Expects that the hostile texts are text on the page, and have added no element. */
async function expectOnlyText(page: Page): Promise<void> {
  expect(await page.locator('img, body script, iframe, [onerror], a[href^="javascript:"]').count()).toBe(0);
}

describeInBrowser('script code in a text', (_browser, another) => {
  test('never runs, in a request, a key, an account, a name or a reason', async () => {
    const key = `${ATTACK} ${crypto.randomUUID()}`;
    const account = ATTACK.slice(0, 100);
    const { sessionId } = await world.sessions.open({ ...world.input(leftOpen()), key });
    const strayKey = `stray ${key}`;
    await world.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: `${WORKFLOW_ID_PREFIX}${strayKey}`,
      taskQueue: world.taskQueue,
      args: [{ key: strayKey, account, request: HOSTILE }],
    });
    await stateOf(world.sessions.get(strayKey), ({ phase }) => phase === 'ended');
    site.become(ATTACK, 'operator');
    const page = await (await another()).newPage();
    const complaints = complaintsOf(page);
    const query = encodeURIComponent(ATTACK);
    for (const path of [
      '/',
      '/sessions',
      `/sessions?q=${query}`,
      `/sessions?phase=${query}&status=${query}&account=${query}&page=1.${query}`,
      `/sessions?done=${query}`,
      pathOf(key, `?done=${query}`),
      pathOf(strayKey),
      ...['refresh', 'cancel', 'adopt', 'reveal'].map((act) => pathOf(strayKey, `/${act}`)),
      pathOf(`no such ${ATTACK}`),
      `/${query}`,
      `/language?to=${query}&back=${query}`,
    ]) {
      await page.goto(site.url + path);
      await expectOnlyText(page);
    }
    await goTo(page, site, strayKey, '/reveal');
    await page.getByLabel('Reason').fill(ATTACK);
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('payor.firstName').waitFor();
    expect(await page.getByRole('cell', { name: ATTACK, exact: true }).count()).toBeGreaterThan(10);
    await expectOnlyText(page);

    await goTo(page, site, key);
    await decide(page, { act: 'Refresh', confirm: 'Poll now', reason: ATTACK });
    // The live page inserts the decision by script. There, too, the hostile reason is only text.
    await page.getByText(`Reason: ${ATTACK}`).waitFor();
    await expectOnlyText(page);
    expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
    expect((await world.sessions.get(key).state()).decisions).toMatchObject([{ reason: ATTACK }]);
    expect(site.lines.every((line) => !line.includes('\n'))).toBe(true);
    expect(world.sandbox.session(sessionId)).toBeDefined();

    await expectMarkupBlocked(page);
    await world.sessions.get(key).cancelAndWait();
  });
});

describeInBrowser('a forged request', (_browser, another) => {
  test('has no effect from another site or port, in a frame or under another host name, although the operator is logged in', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const { key } = session;
    site.become('Robin', 'operator');
    const context = await another();
    const own = await context.newPage();
    await goTo(own, site, key, '/cancel');
    const form = { ...(await formOf(own)), reason: 'forged' };
    const target = site.url + pathOf(key, '/cancel');

    for (const host of ['localhost', '127.0.0.1']) {
      const page = await context.newPage();
      await page.goto(`http://${host}:${evil.port}/`);
      const refused = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.evaluate(`(() => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(target)} });
        for (const [name, value] of Object.entries(${JSON.stringify(form)}))
          form.append(Object.assign(document.createElement('input'), { name, value }));
        document.body.append(form);
        form.submit();
      })()`);
      expect([401, 403]).toContain((await refused).status());
      await page.waitForURL(target);
      await page.goto(`http://${host}:${evil.port}/`);
      const read = await page.evaluate(
        `fetch(${JSON.stringify(site.url)}, { credentials: 'include' }).then((answer) => answer.text(), () => 'kept')`,
      );
      expect(read).toBe('kept');
      await page.evaluate(
        `fetch(${JSON.stringify(target)}, { method: 'POST', mode: 'no-cors', credentials: 'include',
          body: new URLSearchParams(${JSON.stringify(form)}) }).catch(() => undefined)`,
      );
      await page.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(target)} }))`,
      );
      const frame = await (await page.waitForSelector('iframe')).contentFrame();
      await frame?.waitForLoadState().catch(() => undefined);
      expect(await frame?.locator('form').count()).toBe(0);
      expect((await session.state()).decisions).toEqual([]);
    }

    const page = await context.newPage();
    const { port } = new URL(site.url);
    const answer = await page.goto(`http://payments.localhost:${port}/`);
    expect(answer?.status()).toBe(403);
    await page.getByText('This console does not serve this host name').waitFor();
    expect(await session.state()).toMatchObject({ phase: 'open', decisions: [] });
    await session.cancelAndWait();
  });
});
