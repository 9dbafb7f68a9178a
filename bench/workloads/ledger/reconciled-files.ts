import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { PaymentLedger, type LedgerSession } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { measuredCommand } from '../../sides/measured-command';
import { migrated } from '../../sides/migrated-ledger';
import { generatePayments } from './generated-payments';

export interface ReconcileWorkload {
  /** Four of five are paid, and settle. */
  readonly payments: number;
}

/** What it costs to reconcile the files of many days. */
export interface ReconcileFigures {
  readonly lines: number;
  readonly reconcileSeconds: number;
  /** The most memory that the command ever had, in MiB. */
  readonly reconcileMiB: number;
}

const DAYS = 90;
const DAY_MS = 86_400_000;
/** One payment in so many comes back three days later, or stands in its file twice. */
const RETURNED = 50;
const TWICE = 100;
const RETURNED_AFTER_DAYS = 3;
const HEAD = 'reference,amount,date,kind,code\r\n';
/** The command's, where lines are told with a reason: here those that stand in a file twice. */
const LINES_TOLD = 7;

/** Runs `paysession reconcile` on files of ninety days, each delivered twice, the last first. Throws where a payment is left. */
export async function reconciledFiles({
  payments,
}: ReconcileWorkload): Promise<{ readonly paysession: ReconcileFigures }> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-bench-reconcile-'));
  const delivered = await mkdtemp(join(tmpdir(), 'paysession-bench-files-'));
  const postgres = await startPostgres({ folder, cacheFolder: readCacheFolder() });
  const ledger = new PaymentLedger({ url: postgres.url });
  try {
    await migrated(postgres.url, (database) => generatePayments(database, payments));
    const { files, lines } = await filesOf(ledger.payments.all({ paid: true }));
    const paths = files.map(({ name }) => join(delivered, name));
    for (const [index, { text }] of files.entries()) await writeFile(paths[index] ?? '', text);
    const again = [...paths, ...paths].reverse();
    const { seconds, mib } = await measuredCommand(['reconcile', ...again], {
      ledgerUrl: postgres.url,
      exitCode: LINES_TOLD,
    });
    const { count } = await ledger.payments.totals({ money: 'paid' });
    if (count > 0) throw new Error(`${count} payments were not reconciled`);
    return { paysession: { lines: 2 * lines, reconcileSeconds: seconds, reconcileMiB: mib } };
  } finally {
    await ledger.close();
    await postgres.stop();
    await Promise.all([folder, delivered].map((made) => rm(made, { recursive: true })));
  }
}

/** A file for each day, and how many lines they have together. */
async function filesOf(sessions: AsyncIterable<LedgerSession>) {
  const days = Array.from({ length: DAYS + RETURNED_AFTER_DAYS }, (): string[] => []);
  let number = 0;
  for await (const { referenceId = '', amount = 0 } of sessions) {
    number += 1;
    const day = number % DAYS;
    const line = (kind: string, on: number) =>
      days[on]?.push(`${referenceId},${amount.toFixed(2)},${dateOf(on)},${kind}\r\n`);
    line('settled,', day);
    if (number % TWICE === 0) line('settled,', day);
    if (number % RETURNED === 0) line('returned,NSF', day + RETURNED_AFTER_DAYS);
  }
  return {
    files: days.map((lines, day) => ({ name: `${dateOf(day)}.csv`, text: HEAD + lines.join('') })),
    lines: days.reduce((sum, lines) => sum + lines.length, 0),
  };
}

/** From today on: a line dated before its payment was claimed would mean none. */
const dateOf = (day: number): string => new Date(Date.now() + day * DAY_MS).toISOString().slice(0, 10);
