import type { LedgerDatabase } from '../../../ledger';

/** Files of many days, as a payment service may deliver them, and what comes of them. */
export interface DeliveredFiles {
  /** In the order of their delivery; each comes twice. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** What the ledger has in the end. */
  readonly settled: { readonly count: number; readonly cents: number };
  readonly returned: { readonly count: number; readonly cents: number };
  /** The lines of all files, and how many of these are told for each reason. */
  readonly lines: number;
  readonly reasons: Readonly<Record<string, number>>;
}

const HEAD = 'reference,session,amount,currency,date,kind,code\r\n';
const DAYS = 90;

/** So many sessions that are paid, as they are stored but for their hashes. */
export async function generatePaid(database: LedgerDatabase, count: number): Promise<void> {
  await database.transaction(async (statements) => {
    const insert = (number: number, kind: string, id: string, body: string) =>
      statements.query(
        `insert into paysession_ledger.entries (environment, key, number, id, kind, at, recorded_at, body, previous, hash)
          select 'default', 'order-' || n, ${number}, '${kind}:${id}-' || n, '${kind}', at, at, ${body}, '', sha256(n::text::bytea)
          from (select n, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute' as at from generate_series(0, $1::int - 1) n) each_one`,
        [count],
      );
    await insert(
      1,
      'claimed',
      'run',
      `jsonb_build_object('fingerprint', 'f', 'firstRunId', 'run-' || n, 'account', 'default', 'sessionKind', 'EFT',
        'amount', ((n % 5000 + 1) / 100.0)::float8, 'currency', 'CAD', 'referenceId', 'ref-' || n)::text`,
    );
    await insert(
      2,
      'opened',
      'session',
      `jsonb_build_object('sessionId', 'session-' || n, 'how', 'create')::text`,
    );
    await insert(
      3,
      'ended',
      'run',
      `jsonb_build_object('firstRunId', 'run-' || n, 'paid', true, 'status', 'Completed', 'leftNothing', false)::text`,
    );
  });
  await database.transaction((statements) => statements.query('analyze paysession_ledger.entries'));
}

/**
 * Files for these sessions: each settles, one in fifty comes back three days later, one line in a hundred stands there twice, one in a
 * thousand names a reference or an amount that there is not.
 */
export function deliveredFiles(sessions: number, random: () => number): DeliveredFiles {
  const byDay = new Map<number, string[]>();
  const found = { settled: { count: 0, cents: 0 }, returned: { count: 0, cents: 0 } };
  const reasons: Record<string, number> = {};
  const add = (day: number, line: string) => byDay.set(day, [...(byDay.get(day) ?? []), line]);
  for (let n = 0; n < sessions; n += 1) {
    const day = Math.floor(random() * DAYS);
    const cents = (n % 5_000) + 1;
    const who = n % 2 === 0 ? `ref-${n},` : `,session-${n}`;
    const line = (kind: string, on: number, amount = cents) =>
      `${who},${(amount / 100).toFixed(2)},CAD,${dateOf(on)},${kind}\r\n`;
    const settled = line('settled,', day);
    add(day, settled);
    found.settled.count += 1;
    found.settled.cents += cents;
    if (n % 50 === 0) {
      add(day + 3, line('returned,NSF', day + 3));
      found.returned.count += 1;
      found.returned.cents += cents;
    }
    const tell = (reason: string, bad: string) => {
      add(day, bad);
      reasons[reason] = (reasons[reason] ?? 0) + 2;
    };
    if (n % 100 === 1) tell('twice', settled);
    if (n % 1_000 === 2) tell('unknown', settled.replace('ref-', 'ref-x'));
    if (n % 1_000 === 3) tell('anotherAmount', line('settled,', day, cents + 1));
  }
  const files = [...byDay].map(([day, lines]) => ({
    name: `${dateOf(day)}.csv`,
    text: `${HEAD}${shuffled(lines, random).join('')}`,
  }));
  const lines = [...byDay.values()].reduce((sum, some) => sum + some.length, 0);
  return { files: shuffled([...files, ...files], random), ...found, lines: 2 * lines, reasons };
}

const dateOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);

const shuffled = <T>(all: readonly T[], random: () => number): readonly T[] =>
  all
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);

/** What the ledger has of money. */
export async function moneyIn(database: LedgerDatabase) {
  const rows = await database.query<{ kind: 'settled' | 'returned'; count: string; cents: string }>(
    `select kind, count(*) as count, sum((body::jsonb ->> 'amount')::numeric * 100)::bigint as cents
      from paysession_ledger.entries where kind in ('settled', 'returned') group by kind`,
  );
  const of = (kind: string) => {
    const row = rows.find((one) => one.kind === kind);
    return { count: Number(row?.count ?? 0), cents: Number(row?.cents ?? 0) };
  };
  return { settled: of('settled'), returned: of('returned') };
}
