import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import type { ConsoleOptions } from '../../../console/options';
import { buildConsole } from '../../../console/serve-console';
import { PaymentLedger, type LedgerSession } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { spread, type Spread } from '../../figures/quantiles';
import { measuredCommand } from '../../sides/measured-command';
import { migrated } from '../../sides/migrated-ledger';
import { generatePayments } from './generated-payments';

export interface ReconcileWorkload {
  /** The number of payments. Four of five payments are paid, and their money arrives (they settle). */
  readonly payments: number;
}

/** The cost of reconciling the files of many days, and of a page of unmatched lines. */
export interface ReconcileFigures {
  readonly lines: number;
  readonly reconcileSeconds: number;
  /** The peak memory of the command, in MiB. */
  readonly reconcileMiB: number;
  /** The number of lines without a payment. The bench adds these lines before it measures the page. */
  readonly unmatchedLines: number;
  /** The time from a request for the console's page of unmatched lines to the end of the answer, in milliseconds. */
  readonly unmatchedPageMs: Spread;
}

/** The number of days on which payments settle. */
const DAYS = 90;
const DAY_MS = 86_400_000;
/** One in this many payments comes back, three days after it settled. */
const RETURNED = 50;
/** For one in this many payments, the line of its settlement is in the file twice. */
const TWICE = 100;
const RETURNED_AFTER_DAYS = 3;
const HEAD = 'reference,amount,date,kind,code\r\n';
/** The command's exit code if lines are unmatched. Here, the second of two equal lines is unmatched. */
const UNMATCHED_EXIT_CODE = 7;

/**
 * Runs `paysession reconcile` on the files of 93 days. The command gets each file twice, and the newest files first.
 * Throws an `Error` if a paid payment has not settled afterwards.
 */
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
      exitCode: UNMATCHED_EXIT_CODE,
    });
    const { count } = await ledger.payments.totals({ money: 'paid' });
    if (count > 0) throw new Error(`${count} payments were not reconciled`);
    const figures = { lines: 2 * lines, reconcileSeconds: seconds, reconcileMiB: mib };
    return { paysession: { ...figures, unmatchedLines: UNMATCHED, unmatchedPageMs: await pagesOf(ledger) } };
  } finally {
    await ledger.close();
    await postgres.stop();
    await Promise.all([folder, delivered].map((made) => rm(made, { recursive: true })));
  }
}

const UNMATCHED = 10_000;
const REQUESTS = 40;
/** The bench requests two pages of lines equally often: the first page, and the page that begins after this line. */
const MIDDLE = UNMATCHED / 2;

/** Reconciles lines that no payment matches. Then measures the pages that list these lines. */
async function pagesOf(ledger: PaymentLedger): Promise<Spread> {
  const lines = Array.from({ length: UNMATCHED }, (_line, n) => `nobody-${n},1.00,${dateOf(1)},settled,\r\n`);
  for await (const { outcome } of ledger.reconcile(HEAD + lines.join('')))
    if (outcome !== 'unmatched') throw new Error('a line was matched');
  const app = buildConsole({
    // These pages do not call the Temporal server.
    ...({} as Pick<ConsoleOptions, 'client' | 'sessions'>),
    ledger,
    taskQueue: 'nobody-polls',
    access: { kind: 'local', operator: { name: 'bench', role: 'operator' } },
  });
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const ms: number[] = [];
    for (let turn = 0; turn < REQUESTS; turn += 1) {
      for (const path of ['/reconciliation', `/reconciliation?after=${MIDDLE}`]) {
        const beganAtMs = performance.now();
        const answer = await fetch(url + path);
        await answer.text();
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
        ms.push(performance.now() - beganAtMs);
      }
    }
    return spread(ms);
  } finally {
    await app.close();
  }
}

/** Returns a file for each day, and the number of lines in all files. */
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

/**
 * Returns the date of the day that is this many days after today. All dates are in the future, because a line does not
 * match a payment whose key was claimed more than a day after the line's date.
 */
const dateOf = (day: number): string => new Date(Date.now() + day * DAY_MS).toISOString().slice(0, 10);
