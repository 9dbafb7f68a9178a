import type { Statements } from '../postgres/database';

/** Places are given to so many entries in one statement. */
const BATCH = 10_000;

/**
 * Keeps all other sequencers out until the transaction ends, and stops no entry. An advisory lock would not do: any role could hold it, and stop
 * all checkpoints.
 */
export async function lockLog(statements: Statements): Promise<void> {
  await statements.query('lock table paysession_ledger.unsequenced in share update exclusive mode');
}

/** What became of the rows that waited for a place. */
export interface Sequenced {
  /** The number of entries that got a place. */
  readonly added: number;
  /** The number of rows that belong to no entry, or to one that has a place. No part of paysession writes such a row. */
  readonly skipped: number;
}

/**
 * Gives a place in the log to every entry that has none, in the transaction of `lockLog`. Entries of one session keep their order, since one is
 * not written before the one ahead of it is committed. A row that belongs to no waiting entry is deleted and counted, so that it stops no checkpoint.
 */
export async function sequence(statements: Statements): Promise<Sequenced> {
  let size = await logSize(statements);
  let [added, skipped] = [0, 0];
  for (;;) {
    const [row] = await statements.query<{ taken: number; placed: number }>(PLACE, [size, BATCH]);
    const { taken, placed } = row ?? { taken: 0, placed: 0 };
    if (taken === 0) return { added, skipped };
    size += placed;
    added += placed;
    skipped += taken - placed;
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
  ), placed as (
    insert into paysession_ledger.log (position, environment, key, number, leaf)
    select $1::bigint + row_number() over (order by environment, key, number) - 1, environment, key, number,
      sha256('\\x00'::bytea || hash)
    from taken join paysession_ledger.entries using (environment, key, number)
      left join paysession_ledger.log using (environment, key, number)
    where position is null
    returning 1 as one
  )
  select (select count(*) from taken)::int as taken, (select count(*) from placed)::int as placed`;

/** How many entries have a place. */
export async function logSize(statements: Statements): Promise<number> {
  const [row] = await statements.query<{ size: string }>(
    'select coalesce(max(position) + 1, 0) as size from paysession_ledger.log',
  );
  return Number(row?.size ?? 0);
}
