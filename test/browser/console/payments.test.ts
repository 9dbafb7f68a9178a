import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { LedgerFact, PaymentLedger } from '../../../ledger';
import { parseCsv } from '../../support/cli/parse-csv';
import { CLAIM } from '../../support/ledger/claim';
import { testLedger } from '../../support/ledger/test-ledger';
import { completing, credit, eft } from '../../support/requests';
import { describeInBrowser } from '../../support/worlds/chromium';
import { useWorld } from '../../support/worlds/use-world';
import { complaintsOf } from '../complaints';
import { expectGoodInEveryLook } from '../page-manners';
import { serveSite } from './support/console-site';

const world = useWorld();

const HOUR_MS = 3_600_000;
const agoOf = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
const dayOf = (hours: number) => `${agoOf(hours).slice(0, 10)}T00:00:00.000Z`;

/**
 * Records sixty payments, one for each of the last sixty hours. The newest payment has the smallest amount. Payments older than six
 * hours have arrived, and every third of these has come back.
 */
async function fill(ledger: PaymentLedger): Promise<void> {
  for (let hours = 60; hours > 0; hours -= 1) {
    const [key, firstRunId] = [`order-${hours}`, `run-${hours}`];
    const request = { ...eft(), amount: hours + 0.01 };
    const account = hours % 2 === 0 ? 'online' : 'stores';
    await ledger.claim({
      ...CLAIM,
      key,
      firstRunId,
      account,
      request,
      referenceId: `INV/2026-${hours}`,
      // Every tenth payment belongs to one customer.
      ...(hours % 10 === 0 && { metadata: { customer: 'cus_10', note: 'VIP' }, searchable: ['customer'] }),
      at: agoOf(hours),
    });
    const moved: readonly LedgerFact[] = [
      { kind: 'settled', at: dayOf(hours), amount: request.amount },
      ...(hours % 3 === 0
        ? [{ kind: 'returned', at: dayOf(0), amount: request.amount, code: 'NSF' } as const]
        : []),
    ];
    await ledger.record({ key, firstRunId }, [
      { kind: 'opened', at: agoOf(hours), sessionId: `session-${hours}`, how: 'create' },
      {
        kind: 'ended',
        at: agoOf(hours - 0.5),
        firstRunId,
        paid: true,
        status: 'Completed',
        code: 'EFT0301',
        leftNothing: false,
      },
      ...(hours > 6 ? moved : []),
    ]);
  }
}

/** Records payments of two accounts to payors. */
async function payOut(ledger: PaymentLedger): Promise<void> {
  for (const account of ['online', 'stores']) {
    const [key, firstRunId] = [`out-${account}`, `run-out-${account}`];
    await ledger.claim({ ...CLAIM, key, firstRunId, account, request: credit(), at: agoOf(2) });
    await ledger.record({ key, firstRunId }, [
      { kind: 'opened', at: agoOf(2), sessionId: `session-${key}`, how: 'create' },
      { kind: 'ended', at: agoOf(1), firstRunId, paid: true, status: 'Completed', leftNothing: false },
    ]);
  }
}

async function siteWithPayments({ goesOut = false } = {}) {
  const { ledger } = await testLedger();
  await fill(ledger);
  if (goesOut) await payOut(ledger);
  const { client, sessions, taskQueue } = world;
  return serveSite({ client, sessions, taskQueue, ledger, timeZone: 'America/Toronto' });
}

const firstKey = 'tbody tr:first-child .key';

describeInBrowser('an accountant', (browser, another) => {
  test('can find, filter, sort and download payments with the keyboard alone', async () => {
    const site = await siteWithPayments();
    try {
      const context = await another({ acceptDownloads: true });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await page.goto(site.url);
      await page.getByRole('link', { name: 'Payments', exact: true }).press('Enter');
      await page.getByText('60 payments').waitFor();
      for (const [key, row] of [
        ['j', 'order-1'],
        ['j', 'order-2'],
        ['k', 'order-1'],
      ] as const) {
        await page.keyboard.press(key);
        expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(row);
      }
      await page.keyboard.press('/');
      const search = page.getByRole('searchbox');
      await search.fill('2026-42');
      await search.press('Enter');
      await page.getByText('1 payment', { exact: true }).waitFor();
      expect(await page.locator(firstKey).textContent()).toBe('order-42');
      await search.fill('');
      await search.press('Enter');
      await page.getByRole('link', { name: 'Amount', exact: true }).press('Enter');
      await page.getByText('60 payments').waitFor();
      expect(await page.locator(firstKey).textContent()).toBe('order-60');
      await page.getByText('Filters', { exact: true }).press('Enter');
      await page.getByLabel('Money', { exact: true }).selectOption('returned');
      await page.getByLabel('Account', { exact: true }).fill('online');
      await page.getByRole('button', { name: 'Show' }).press('Enter');
      await page.getByText('9 payments').waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download as CSV' }).press('Enter');
      const rows = parseCsv(await readFile(await (await downloading).path(), 'utf8'));
      expect(rows.map(([key]) => key)).toEqual([
        'key',
        ...[60, 54, 48, 42, 36, 30, 24, 18, 12].map((n) => `order-${n}`),
      ]);
      expect(complaints).toEqual([]);
    } finally {
      await site.close();
    }
  });

  test('can go from a payment to all payments of the customer, with the keyboard alone and on a phone', async () => {
    const site = await siteWithPayments();
    try {
      const context = await another({ viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await page.goto(`${site.url}/payments?q=2026-20`);
      await page.getByRole('link', { name: 'cus_10' }).press('Enter');
      await page.getByRole('heading', { name: 'Payments of customer cus_10' }).waitFor();
      await page.getByText('6 payments').waitFor();
      expect(await page.locator('tbody .key').allTextContents()).toEqual(
        [10, 20, 30, 40, 50, 60].map((hours) => `order-${hours}`),
      );
      expect(await page.locator('body').textContent()).not.toContain('VIP');
      expect(complaints).toEqual([]);
    } finally {
      await site.close();
    }
  });

  test('sees a new payment live, and can use the page without scripts', async () => {
    const own = await testLedger();
    const { client, sessions, taskQueue } = world;
    const site = await serveSite({ client, sessions, taskQueue, ledger: own.ledger });
    try {
      const page = await browser().newPage();
      await page.goto(`${site.url}/payments`);
      await page.getByText('No payments yet').waitFor();
      await own.ledger.claim(CLAIM);
      await page.getByText('Being created').waitFor();
      const plain = await (await another({ javaScriptEnabled: false })).newPage();
      await plain.goto(`${site.url}/payments?q=order`);
      expect(await plain.locator(firstKey).textContent()).toBe(CLAIM.key);
    } finally {
      await site.close();
    }
  });

  test('can check, record and explain a reconciliation file with the keyboard alone, without scripts', async () => {
    const { ledger } = await testLedger();
    const site = await serveSite({ ...world, ledger });
    try {
      const page = await (await another({ locale: 'fr-CA', javaScriptEnabled: false })).newPage();
      const complaints = complaintsOf(page);
      await page.goto(`${site.url}/reconciliation`);
      const buffer = Buffer.from('reference,amount,date,kind\nréf 1,7.10,2026-09-02,settled\n');
      await page
        .getByLabel('Fichier du service de paiement')
        .setInputFiles({ name: 'mai.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Vérifier le fichier' }).press('Enter');
      await page.getByText('Rien n’est encore inscrit').waitFor();
      await page.getByRole('button', { name: 'Inscrire le fichier' }).press('Enter');
      await page.getByText('Le fichier est inscrit').waitFor();
      await page.getByRole('link', { name: 'Expliquer…' }).press('Enter');
      await page.getByRole('textbox').fill('une facture de l’an dernier');
      await page.getByRole('button', { name: 'Inscrire l’explication' }).press('Enter');
      await page.getByText('L’explication est inscrite').waitFor();
      await page.getByText('Aucune ligne en attente').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await site.close();
    }
  });

  test.each(['en-CA', 'fr-CA'] as const)('%s: gets pages without axe-core violations', async (locale) => {
    const site = await siteWithPayments({ goesOut: true });
    const session = await world.sessions.start(world.input(completing()));
    await session.result();
    try {
      const page = await (await another({ locale })).newPage();
      const complaints = complaintsOf(page);
      for (const path of [
        '/',
        '/payments',
        '/payments?q=INV&money=returned',
        '/payments?direction=CREDIT',
        '/payments?customer=cus_10',
        '/payments?q=nobody',
        '/payments?money=gold',
        '/payments/payor?money=returned',
        '/payments?money=late',
        '/reconciliation',
        '/sessions',
      ]) {
        await page.goto(site.url + path);
        await page
          .getByText(/Still counting|Décompte en cours|Still adding|Addition en cours/)
          .first()
          .waitFor({ state: 'detached' });
        await expectGoodInEveryLook(page);
      }
      const buffer = Buffer.from('reference,amount,date,kind\nnobody,7.10,2026-09-02,settled\n');
      await page.goto(`${site.url}/reconciliation`);
      await page.locator('input[type=file]').setInputFiles({ name: 'may.csv', mimeType: 'text/csv', buffer });
      await page.locator('form[action="/reconciliation/preview"] button').press('Enter');
      await page.locator('form[action="/reconciliation/record"]').waitFor();
      await expectGoodInEveryLook(page);
      await page.locator('form[action="/reconciliation/record"] button').press('Enter');
      const explain = page.locator('a[href^="/reconciliation/lines/"]');
      await explain.waitFor();
      await expectGoodInEveryLook(page);
      await explain.press('Enter');
      await page.getByRole('textbox').waitFor();
      await expectGoodInEveryLook(page);
      expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
    } finally {
      await site.close();
    }
  });
});
