import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { ConsoleOptions } from '../../../console/options';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { PaymentLedger } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { spread, type Spread } from '../../figures/quantiles';
import { migrated } from '../../sides/migrated-ledger';
import { addUp, generatePayments, type Added } from './generated-payments';
import { buildConsole } from '../../../console/serve-console';

export interface PaymentsWorkload {
  readonly payments: number;
  /** The number of requests of each page. */
  readonly requests: number;
}

/** The speed of the console's pages of payments, with many payments in the ledger. */
export interface PaymentsFigures {
  readonly payments: number;
  readonly pages: Readonly<Record<string, { readonly pageMs: Spread }>>;
  readonly csv: {
    readonly payments: number;
    readonly seconds: number;
    /** The largest increase of the process's memory during the download, in MiB. */
    readonly moreMiB: number;
  };
}

const DAY_MS = 86_400_000;
const MONTH_DAYS = 30;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const MONTH = { from: daysAgo(MONTH_DAYS), to: daysAgo(1) };

const PAGES: Readonly<Record<string, string>> = {
  'newest first': '/payments',
  'by amount': '/payments?sort=-amount',
  'by end': '/payments?sort=-ended',
  'part of a reference, rare': '/payments?q=c4ca4238a0',
  'part of a reference, frequent': '/payments?q=INV-',
  'part of a reference, nowhere': '/payments?q=zzzz',
  amount: '/payments?q=12.34',
  'came back': '/payments?money=returned',
  'money out, by amount': '/payments?direction=CREDIT&sort=-amount',
  'an account, by amount': '/payments?account=account-7&sort=-amount',
  'a day, by amount': `/payments?from=${MONTH.from}&to=${MONTH.from}&sort=-amount`,
  'a month': `/payments?from=${MONTH.from}&to=${MONTH.to}`,
};

/**
 * Measures how quickly the console shows payments. Also compares the sums of the console's CSV, of its list and of the
 * ledger's export, and throws an `Error` if they differ.
 */
export async function payments({ payments: count, requests }: PaymentsWorkload): Promise<PaymentsFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-bench-payments-'));
  const postgres = await startPostgres({ folder, cacheFolder: readCacheFolder() });
  const ledger = new PaymentLedger({ url: postgres.url });
  const app = buildConsole({
    // These pages do not call the Temporal server.
    ...({} as Pick<ConsoleOptions, 'client' | 'sessions'>),
    ledger,
    taskQueue: 'nobody-polls',
    access: { kind: 'local', operator: { name: 'bench', role: 'viewer' } },
  });
  try {
    await migrated(postgres.url, (database) => generatePayments(database, count));
    await settle(postgres.url);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const pages = await requestInTurn(url, requests);
    const csv = await download(`${url}/payments.csv?from=${MONTH.from}&to=${MONTH.to}`);
    await checkSums(ledger, csv.added);
    return {
      payments: count,
      pages,
      csv: { payments: csv.added.count, seconds: csv.seconds, moreMiB: csv.moreMiB },
    };
  } finally {
    await app.close();
    await ledger.close();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

/** Vacuums the tables and writes a checkpoint, so that PostgreSQL does not do this during the measurement. */
async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('vacuum paysession_ledger.entries, paysession_ledger.claims');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

async function requestInTurn(url: string, requests: number): Promise<PaymentsFigures['pages']> {
  const taken = Object.entries(PAGES).map(([name, path]) => ({ name, path, ms: [] as number[] }));
  for (let turn = 0; turn < requests; turn += 1) {
    for (const { path, ms } of taken) {
      const beganAtMs = performance.now();
      const answer = await fetch(`${url}${path}`);
      await answer.text();
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      ms.push(performance.now() - beganAtMs);
    }
  }
  return Object.fromEntries(taken.map(({ name, ms }) => [name, { pageMs: spread(ms) }]));
}

/** Downloads a CSV, and adds up its amounts while it arrives. */
async function download(url: string) {
  const beganAtMs = performance.now();
  const before = process.memoryUsage.rss();
  let most = before;
  const answer = await fetch(url);
  let [head, count, cents, left] = [undefined as readonly string[] | undefined, 0, 0, ''];
  for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    most = Math.max(most, process.memoryUsage.rss());
    const lines = `${left}${Buffer.from(piece).toString()}`.split('\r\n');
    left = lines.pop() ?? '';
    // No cell of the generated payments contains a comma.
    for (const cells of lines.map((line) => line.split(','))) {
      if (head === undefined) {
        head = cells;
        continue;
      }
      count += 1;
      cents += Math.round(Number(cells[head.indexOf('amount')]) * 100);
    }
  }
  const added: Added = { count, cents };
  return { added, seconds: (performance.now() - beganAtMs) / 1_000, moreMiB: (most - before) / 2 ** 20 };
}

/**
 * Compares three sums to the cent: those of the CSV, of the totals above the console's list, and of an export's
 * payments.
 */
async function checkSums(ledger: PaymentLedger, csv: Added): Promise<void> {
  const filter = {
    claimedFrom: new Date(`${MONTH.from}T00:00:00Z`),
    claimedBefore: new Date(Date.parse(`${MONTH.to}T00:00:00Z`) + DAY_MS),
  };
  const exported = await addUp(ledger.payments.all(filter));
  const { count, sums } = await ledger.payments.totals(filter);
  const shown: Added = {
    count,
    cents: sums.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0),
  };
  for (const other of [csv, shown])
    if (other.count !== exported.count || other.cents !== exported.cents)
      throw new Error(`the sums differ: ${JSON.stringify({ exported, csv, shown })}`);
}
