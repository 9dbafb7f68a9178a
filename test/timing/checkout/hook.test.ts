import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useShop } from '../../support/worlds/shop';
import { useWorld } from '../../support/worlds/use-world';
import { Buyer } from '../../browser/shop/support/buyer';

const PAYMENTS = 3;
const LIMIT_MS = 1_000;

const world = useWorld();
const shop = useShop(world);

/**
 * Pays an order. Returns two durations from the message `SUCCESS`: until the workflow recorded the payment, and until the shop's page
 * showed it.
 */
async function payAndMeasure(
  buyer: Buyer,
): Promise<{ readonly workflowMs: number; readonly pageMs: number }> {
  const orderId = await buyer.order(shop.url, { 'e-Transfer': '' });
  const payor = await buyer.payor();
  await payor.consent();
  await payor.chooseBank();
  await payor.logIn();
  await payor.choose(/Everyday chequing/);
  await buyer.page.evaluate(`new MutationObserver((_changes, observer) => {
    if (!document.getElementById('headline').textContent.startsWith('Paid')) return;
    window.paidAt = Date.now();
    observer.disconnect();
  }).observe(document.getElementById('headline'), { childList: true, characterData: true, subtree: true })`);
  await payor.press('Accept the request');
  await buyer.sees('Paid. Thank you!');
  const [successAt, paidAt] = await buyer.page.evaluate<[number, number]>(
    `[window.messages.find(({ data }) => data.Step === 'SUCCESS').at, window.paidAt]`,
  );
  const recorded = (await world.sessions.get(orderId).stateHistory()).at(-1);
  expect(recorded).toMatchObject({ status: 'Completed', source: 'poll' });
  return { workflowMs: Date.parse(recorded?.firstSeenAt ?? '') - successAt, pageMs: paidAt - successAt };
}

// When the payor has finished, the hosted flow sends the shop's page the message `SUCCESS` (contract rule A61, docs/contract.md). The
// page's script then calls the shop's server, and the server calls `refresh`. So the workflow does not wait for its next poll.
describeInBrowser('the shop’s page', (browser) => {
  test('A61 makes the workflow record a payment within a second after the message SUCCESS', async () => {
    const buyer = await Buyer.enter(browser());
    const measured: { readonly workflowMs: number; readonly pageMs: number }[] = [];
    for (let count = 0; count < PAYMENTS; count += 1) measured.push(await payAndMeasure(buyer));
    const slowest = (what: 'workflowMs' | 'pageMs') => Math.max(...measured.map((each) => each[what]));
    process.stderr.write(
      `From SUCCESS, at most: ${slowest('workflowMs')} ms to the state in the workflow, ${slowest('pageMs')} ms to the shop’s page ` +
        `(${PAYMENTS} payments, ${measured.map(({ workflowMs, pageMs }) => `${workflowMs}/${pageMs}`).join(', ')} ms).\n`,
    );
    expect(slowest('workflowMs')).toBeLessThan(LIMIT_MS);
  });
});
