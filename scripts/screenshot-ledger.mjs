/** The ledger in the pictures of the console, on a PostgreSQL of its own. It contains invented payments of the last month. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const load = createRequire(import.meta.url);
const { LedgerDatabase, migrate, PaymentLedger } = load('../dist/ledger/index.js');
const { startPostgres } = load('../dist/src/temporal-server/start-postgres.js');
const { readCacheFolder } = load('../dist/src/settings/temporal-server-settings.js');

const DAYS = 30;
const DAY_MS = 86_400_000;
const ACCOUNTS = ['default', 'online', 'stores'];
const PAID = { paid: true, status: 'Completed', code: 'EFT0301' };
const EXPIRED = { paid: false, status: 'Expired', code: 'EFT0601' };

/** Starts PostgreSQL and returns a ledger with the month's payments. */
export async function startLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-pictures-'));
  const postgres = await startPostgres({ folder, cacheFolder: readCacheFolder() });
  const database = new LedgerDatabase(postgres.url);
  await migrate(database);
  await database.close();
  const ledger = new PaymentLedger({ url: postgres.url });
  for (let day = DAYS; day > 0; day -= 1) await recordDay(ledger, day);
  const stop = async () => {
    await ledger.close();
    await postgres.stop();
    await rm(folder, { recursive: true });
  };
  return { ledger, stop };
}

/** Records the payments of the day that was `daysAgo` days ago. */
async function recordDay(ledger, daysAgo) {
  const count = 24 - (daysAgo % 7) * 2;
  const payments = Array.from({ length: count }, (_, index) => paymentOf(daysAgo, index, count));
  await Promise.all(payments.map(([claim, facts]) => ledger.recordEnded(claim, facts)));
}

function paymentOf(daysAgo, index, count) {
  const number = 1_000 + (DAYS - daysAgo) * 24 + index;
  const atMs = Date.now() - daysAgo * DAY_MS + (index - count / 2) * 20 * 60_000;
  const at = (ms) => new Date(ms).toISOString();
  const startOf = (ms) => `${at(ms).slice(0, 'yyyy-mm-dd'.length)}T00:00:00.000Z`;
  const [key, firstRunId, amount] = [`order-${number}`, randomUUID(), ((number * 7_919) % 48_000) / 100 + 12];
  const isETransfer = number % 4 === 3;
  const request = {
    direction: 'DEBIT',
    type: isETransfer ? 'e-Transfer' : 'EFT',
    amount,
    options: { guarantee: { enable: number % 4 === 1 } },
    referenceId: `INV-${number}`,
  };
  const claim = { key, firstRunId, fingerprint: key, account: ACCOUNTS[number % ACCOUNTS.length], request };
  const { code, ...end } = number % 5 === 0 ? EXPIRED : PAID;
  /** @type {object[]} */
  const facts = [
    { kind: 'opened', at: at(atMs + 400), sessionId: randomUUID(), how: 'create' },
    {
      kind: 'ended',
      at: at(atMs + 9 * 60_000),
      firstRunId,
      leftNothing: false,
      amount,
      ...end,
      ...(!isETransfer && { code }),
    },
  ];
  if (end.paid && daysAgo > 1) facts.push({ kind: 'settled', at: startOf(atMs + DAY_MS), amount });
  // Only payments without a guarantee come back.
  if (end.paid && daysAgo > 6 && number % 52 === 26)
    facts.push({ kind: 'returned', at: startOf(atMs + 5 * DAY_MS), amount, code: '901' });
  return [{ ...claim, referenceId: request.referenceId, at: at(atMs) }, facts];
}
