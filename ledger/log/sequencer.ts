import type { Statements } from '../postgres/database';

/** Whoever gives places holds it. The number is paysession's own. */
const LOCK = 7_297_391_012;
/** Places are given to so many entries in one statement. */
const BATCH = 10_000;

/** Keeps all other sequencers out until the transaction ends. */
export async function lockLog(statements: Statements): Promise<void> {
  await statements.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

/**
 * Gives a place in the log to every entry that has none, in the transaction of `lockLog`. Entries of one session keep their order, since one is
 * not written before the one ahead of it is committed. Gives how many.
 */
export async function sequence(statements: Statements): Promise<number> {
  const from = await logSize(statements);
  let size = from;
  for (;;) {
    const placed = await statements.query(PLACE, [size, BATCH]);
    if (placed.length === 0) return size - from;
    size += placed.length;
  }
}

/** The leaf is that of RFC 6962, over the entry's hash. */
const PLACE = `
  with taken as (
    delete from paysession_ledger.unsequenced
    where (environment, key, number) in (
      select environment, key, number from paysession_ledger.unsequenced order by environment, key, number limit $2
    )
    returning environment, key, number
  )
  insert into paysession_ledger.log (position, environment, key, number, leaf)
  select $1::bigint + row_number() over (order by environment, key, number) - 1, environment, key, number,
    sha256('\\x00'::bytea || hash)
  from taken join paysession_ledger.entries using (environment, key, number)
  returning 1 as one`;

/** How many entries have a place. */
export async function logSize(statements: Statements): Promise<number> {
  const [row] = await statements.query<{ size: string }>(
    'select coalesce(max(position) + 1, 0) as size from paysession_ledger.log',
  );
  return Number(row?.size ?? 0);
}
