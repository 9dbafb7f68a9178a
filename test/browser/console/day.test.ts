import { expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../src';
import { problemsOf } from '../../../src/protocol/state/problems';
import { park } from '../../support/park';
import { leftOpen } from '../../support/requests';
import { stateOf } from '../../support/wait';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { useSite } from './support/console-site';
import { decide } from './support/desk';

// The overview and the list show all sessions of a Temporal server. So this test has its own server.
const temporal = useTemporalServer();
const world = useWorld(() => ({ temporalAddress: temporal.address }));
const site = useSite(world);

const decisionsOf = async (session: PaymentSessionHandle) => (await session.state()).decisions;

describeInBrowser('an operator’s day', (browser) => {
  test('during an outage, the operator finds each parked session in the console and decides about it', async () => {
    const { session: followed } = await world.sessions.open(world.input(leftOpen()));
    const { session: unwanted } = await world.sessions.open(world.input(leftOpen()));
    const page = await browser().newPage();
    const complaints = complaintsOf(page);
    await page.goto(site.url);
    const overviewed = ({ key }: PaymentSessionHandle) => page.getByRole('link', { name: key, exact: true });
    const failing = page.getByRole('link', { name: 'default', exact: true });

    // The outage begins: responses to create requests are lost, and polls fail.
    world.sandbox.failNext('details', { kind: 'status', status: 503 }, 1_000);
    const [adopted, again, abandoned] = [await park(world), await park(world), await park(world)];
    for (const { session } of [adopted, again, abandoned]) await overviewed(session).waitFor();
    // The console reports an account after five failed calls. These calls come with longer and longer waits.
    await failing.waitFor();
    await stateOf(followed, (state) => problemsOf(state).includes('serviceFailing'));

    await overviewed(abandoned.session).click();
    await page.getByText('Nothing happens until an operator decides.').waitFor();
    await decide(page, { act: 'Abandon…', confirm: 'Abandon', reason: 'the customer paid in the shop' });
    await page.getByText('The session was abandoned.').waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();

    await failing.click();
    await overviewed(followed).click();
    await page.getByText('Calls failing', { exact: true }).waitFor();
    // The outage ends. The operator refreshes, and does not wait for the next poll.
    world.sandbox.clearFaults();
    await decide(page, { act: 'Refresh', confirm: 'Poll now', reason: 'the service is back' });
    await page.getByText('Nothing to do.').waitFor();
    expect((await stateOf(followed, ({ trouble }) => trouble === undefined)).phase).toBe('open');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();

    await overviewed(adopted.session).click();
    await decide(page, {
      act: 'Adopt a session…',
      confirm: 'Adopt it',
      reason: 'found by its time',
      sessionId: adopted.lost,
    });
    await page.getByText('Adopted: the session is now followed.').waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();

    await overviewed(again.session).click();
    await decide(page, {
      act: 'Create again…',
      confirm: 'Create again',
      reason: 'not in the service’s list',
    });
    await page.getByText('The decision to create again was carried out.').waitFor();
    await page.getByText('The payor can pay but has not done so yet.').waitFor();

    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await overviewed(unwanted).click();
    await decide(page, { act: 'Cancel…', confirm: 'Cancel the session', reason: 'ordered by mistake' });
    await page.getByText('Cancellation: The payment service has cancelled the session.').first().waitFor();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    await page.getByText('Reason: ordered by mistake').waitFor();

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    for (const { session } of [adopted, again, abandoned])
      await overviewed(session).waitFor({ state: 'detached' });
    await failing.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);

    const by = 'Robin';
    expect(await decisionsOf(abandoned.session)).toMatchObject([
      { decision: 'abandon', by, reason: 'the customer paid in the shop', result: 'applied' },
    ]);
    expect(await decisionsOf(adopted.session)).toMatchObject([
      { decision: 'adopt', by, reason: 'found by its time', sessionId: adopted.lost, result: 'applied' },
    ]);
    expect(await decisionsOf(again.session)).toMatchObject([
      { decision: 'retry', by, reason: 'not in the service’s list', result: 'applied' },
    ]);
    expect(await decisionsOf(unwanted)).toMatchObject([
      { decision: 'cancel', by, reason: 'ordered by mistake', result: 'cancelled' },
    ]);
    expect(await decisionsOf(followed)).toMatchObject([
      { decision: 'refresh', by, reason: 'the service is back', result: 'applied' },
    ]);
    const logged = site.lines.map((line) => line.split(' ').slice(1).join(' '));
    for (const [act, { key }, result] of [
      ['abandon', abandoned.session, 'applied'],
      ['refresh', followed, 'applied'],
      ['adopt', adopted.session, 'applied'],
      ['retry', again.session, 'applied'],
      ['cancel', unwanted, 'cancelled'],
    ] as const) {
      expect(logged).toContain(`Robin operator look ${key} shown`);
      expect(logged).toContain(`Robin operator ${act} ${key} ${result}`);
    }
    expect(site.lines.join('\n')).not.toMatch(/mistake|in the shop|Tremblay/);
    await Promise.all([followed, adopted.session, again.session].map((session) => session.cancelAndWait()));
  });
});
