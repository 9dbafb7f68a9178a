import type { LedgerDatabase, LedgerSession } from '../../../ledger';
import { DOMAIN } from '../../../ledger/entry-hash';

const ACCOUNTS = 20;
const EVERY_S = 20;

/**
 * The constants below are SQL expressions about the payment with the number `n`. The newest payment has the number 1.
 */
const KIND = `case n % 3 when 0 then 'e-Transfer' else 'EFT' end`;
const DIRECTION = `case n % 30 when 6 then 'CREDIT' else 'DEBIT' end`;
const IS_PAID = 'n % 5 <> 0';
const STATUS = `case n % 5 when 0 then 'Expired' else 'Completed' end`;
const HAS_SETTLED = `(${IS_PAID} and n > 15000)`;
const HAS_RETURNED = '(n % 200 = 1 and n > 30000)';
/**
 * Returns an SQL expression for the start of a day. It is this many days after the day of `t`, when the payment's key
 * was claimed.
 */
const dayAfter = (days: number): string => `date_trunc('day', t + interval '${days} days')`;

/**
 * The fields that an entry's hash covers, as in `hashOf`. `hashOf` also covers an encrypted part, but these entries
 * have none.
 */
const HASHED = ['environment', 'key', 'number', 'claim', 'id', 'kind', 'at', 'recorded_at', 'body'].map(
  (column) =>
    column.endsWith('at') ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `${column}::text`,
);
const hashBefore = (number: number): string =>
  `(select hash from paysession_ledger.entries before where environment = 'default' and before.key = 'order-' || n and before.number = ${number} - 1)`;
const withLength = (bytes: string): string => `int4send(octet_length(${bytes})) || ${bytes}`;
const HASH = `sha256(${[
  ...[`'${DOMAIN}'`, ...HASHED].map((text) => withLength(`convert_to(${text}, 'UTF8')`)),
  withLength('previous'),
].join(' || ')})`;

/**
 * Writes payments to the ledger's tables, one for every twenty seconds until now. Four of five payments are paid. The
 * newest 15,000 payments have not settled yet. All older paid payments have settled. Of those older than the newest
 * 30,000, some came back. Some payments are payouts. Also writes the summaries of the payments. The ledger usually
 * makes summaries from entries, but for a million payments this takes minutes.
 */
export async function generatePayments(database: LedgerDatabase, count: number): Promise<void> {
  await database.transaction(async (statements) => {
    await statements.query('alter table paysession_ledger.entries disable trigger all');
    const insert = async (number: number, kind: LedgerKind, at: string, body: string, where = 'true') =>
      statements.query(
        `insert into paysession_ledger.entries (environment, key, number, claim, id, kind, at, recorded_at, body, previous, hash)
          select *, ${HASH} from (
            select 'default' as environment, 'order-' || n as key, ${number} as number, 1 as claim, '${kind}:run-' || n as id,
              '${kind}' as kind, date_trunc('milliseconds', ${at}) as at, date_trunc('milliseconds', now()) as recorded_at, ${body} as body,
              ${number === 1 ? 'sha256(n::text::bytea)' : hashBefore(number)} as previous
            from (select n, date_trunc('milliseconds', now()) - n * interval '${EVERY_S} seconds' as t from generate_series(1, $1::int) n) each_one where ${where}
          ) entry`,
        [count],
      );
    await insert(
      1,
      'claimed',
      't',
      `jsonb_build_object('fingerprint', 'f', 'firstRunId', 'run-' || n, 'account', 'account-' || n % ${ACCOUNTS}, 'sessionKind',
        ${KIND}, 'direction', ${DIRECTION}, 'amount', ((n % 5000 + 1) / 100.0)::float8, 'currency', 'CAD',
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
      `jsonb_build_object('firstRunId', 'run-' || n, 'paid', ${IS_PAID}, 'status', ${STATUS},
        'leftNothing', false)::text`,
    );
    await insert(4, 'settled', dayAfter(2), `'{"amount":1}'`, HAS_SETTLED);
    await insert(5, 'returned', dayAfter(5), `'{"amount":1,"code":"NSF"}'`, HAS_RETURNED);
    await statements.query('alter table paysession_ledger.entries enable trigger all');
    await statements.query(
      `insert into paysession_ledger.claims (environment, key, claim, first_run_id, stands, listed, kind, direction, account, outcome,
          status, paid, amount, currency, reference_id, session_id, claimed_at, ended_at, settled_at, returned_at, return_code, money, parked,
          may_be_paid, fits_any_amount, paid_after)
        select 'default', 'order-' || n, 1, 'run-' || n, true, true, ${KIND}, ${DIRECTION}, 'account-' || n % ${ACCOUNTS}, 'ended',
          ${STATUS}, ${IS_PAID}, (n % 5000 + 1) / 100.0, 'CAD', 'INV-' || md5(n::text), 'session-' || n, t, t + interval '5 minutes',
          case when ${HAS_SETTLED} then ${dayAfter(2)} end, case when ${HAS_RETURNED} then ${dayAfter(5)} end,
          case when ${HAS_RETURNED} then 'NSF' end,
          case when ${HAS_RETURNED} then 'returned' when ${HAS_SETTLED} then 'settled' when ${IS_PAID} then 'paid' else 'unpaid' end, false,
          ${STATUS} not in ('Failed', 'Cancelled', 'Expired'), false, t
        from (select n, date_trunc('milliseconds', now()) - n * interval '${EVERY_S} seconds' as t from generate_series(1, $1::int) n) each_one`,
      [count],
    );
    await statements.query('analyze paysession_ledger.entries, paysession_ledger.claims');
  });
}

type LedgerKind = 'claimed' | 'opened' | 'ended' | 'settled' | 'returned';

/** The number of some payments, and the sum of their amounts. */
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
