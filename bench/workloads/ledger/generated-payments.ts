import type { LedgerDatabase, LedgerSession } from '../../../ledger';
import { writeClaims } from './written-claims';

const ACCOUNTS = 20;
const EVERY_S = 20;

/**
 * Writes so many payments, one each twenty seconds until now, as they are stored but for their hashes: four of five are paid, most of
 * those have arrived, and some came back. The summaries are the fold of the entries.
 */
export async function generatePayments(database: LedgerDatabase, count: number): Promise<void> {
  await database.transaction(async (statements) => {
    await statements.query('alter table paysession_ledger.entries disable trigger all');
    const insert = async (number: number, kind: LedgerKind, at: string, body: string, where = 'true') =>
      statements.query(
        `insert into paysession_ledger.entries (environment, key, number, claim, id, kind, at, recorded_at, body, previous, hash)
          select 'default', 'order-' || n, ${number}, 1, '${kind}:run-' || n, '${kind}', ${at}, now(), ${body}, '', sha256(n::text::bytea)
          from (select n, now() - n * interval '${EVERY_S} seconds' as t from generate_series(1, $1::int) n) each_one where ${where}`,
        [count],
      );
    await insert(
      1,
      'claimed',
      't',
      `jsonb_build_object('fingerprint', 'f', 'firstRunId', 'run-' || n, 'account', 'account-' || n % ${ACCOUNTS}, 'sessionKind',
        case n % 3 when 0 then 'e-Transfer' else 'EFT' end, 'direction', case n % 30 when 0 then 'CREDIT' else 'DEBIT' end, 'amount', ((n % 5000 + 1) / 100.0)::float8, 'currency', 'CAD',
        'referenceId', 'INV-' || md5(n::text))::text`,
    );
    await insert(
      2,
      'opened',
      `t + interval '1 second'`,
      `'{"sessionId":"session-' || n || '","how":"create"}'`,
    );
    await insert(
      3,
      'ended',
      `t + interval '5 minutes'`,
      `jsonb_build_object('firstRunId', 'run-' || n, 'paid', n % 5 <> 0, 'status', case n % 5 when 0 then 'Expired' else 'Completed' end,
        'leftNothing', false)::text`,
    );
    const day = (days: number) => `date_trunc('day', t + interval '${days} days')`;
    await insert(4, 'settled', day(2), `'{"amount":1}'`, 'n % 5 <> 0 and n > 15000');
    await insert(5, 'returned', day(5), `'{"amount":1,"code":"NSF"}'`, 'n % 200 = 1 and n > 30000');
    await statements.query('alter table paysession_ledger.entries enable trigger all');
    await writeClaims(statements);
    await statements.query('analyze paysession_ledger.entries, paysession_ledger.claims');
  });
}

type LedgerKind = 'claimed' | 'opened' | 'ended' | 'settled' | 'returned';

/** How many there are, and what they come to. */
export interface Added {
  readonly count: number;
  readonly cents: number;
}

export async function addUp(sessions: AsyncIterable<Pick<LedgerSession, 'amount'>>): Promise<Added> {
  let [count, cents] = [0, 0];
  for await (const { amount = 0 } of sessions) {
    count += 1;
    cents += Math.round(amount * 100);
  }
  return { count, cents };
}
