import type { LedgerDatabase } from '../../../ledger';
import { writeClaims } from '../../../bench/workloads/ledger/written-claims';

/** Inserts `count` ended sessions directly into the tables, one for each minute. The hashes are made up, so a verification would fail. */
export async function generateSessions(database: LedgerDatabase, count: number): Promise<void> {
  await database.transaction(async (statements) => {
    const insert = (number: number, kind: string, body: string) =>
      statements.query(
        `insert into paysession_ledger.entries (environment, key, number, claim, id, kind, at, recorded_at, body, previous, hash)
          select 'default', 'order-' || n, ${number}, 1, '${kind}:run-' || n, '${kind}', at, at, ${body}, '', sha256(n::text::bytea)
          from (select n, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute' as at from generate_series(1, $1::int) n) all_of_them`,
        [count],
      );
    await insert(
      1,
      'claimed',
      `jsonb_build_object('fingerprint', 'f', 'firstRunId', 'run-' || n, 'account', 'account-' || n % 200, 'sessionKind', 'EFT',
        'direction', 'DEBIT', 'amount', ((n % 5000 + 1) / 100.0)::float8, 'currency', 'CAD', 'referenceId', 'ref-' || n)::text`,
    );
    await insert(
      2,
      'ended',
      `jsonb_build_object('firstRunId', 'run-' || n, 'paid', n % 2 = 0, 'status', 'Completed', 'leftNothing', false)::text`,
    );
    await writeClaims(statements);
  });
  await database.transaction((statements) =>
    statements.query('analyze paysession_ledger.entries, paysession_ledger.claims'),
  );
}
