import type { Statements } from '../postgres/database';
import { leafHash } from './merkle';

/** Whoever gives places holds it. The number is paysession's own. */
const LOCK = 7_297_391_012;
/** Places are given to so many entries in one statement. */
const BATCH = 2_000;

interface Unsequenced {
  readonly environment: string;
  readonly key: string;
  readonly number: number;
  readonly hash: Buffer;
}

/** Keeps all other sequencers out until the transaction ends. */
export async function lockLog(statements: Statements): Promise<void> {
  await statements.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

/**
 * Gives a place in the log to every entry that has none, in the transaction of `lockLog`. Entries of one session keep their order, since one is
 * not written before the one ahead of it is committed. Gives how many.
 */
export async function sequence(statements: Statements): Promise<number> {
  let position = await logSize(statements);
  const from = position;
  for (;;) {
    const some = await statements.query<Unsequenced>(
      `select environment, key, number, hash from paysession_ledger.unsequenced
        join paysession_ledger.entries using (environment, key, number)
        order by environment, key, number limit ${BATCH}`,
    );
    if (some.length === 0) return position - from;
    await place(statements, some, position);
    position += some.length;
  }
}

async function place(statements: Statements, some: readonly Unsequenced[], position: number): Promise<void> {
  const rows = some.map(({ environment, key, number, hash }, index) => ({
    position: position + index,
    environment,
    key,
    number,
    leaf: leafHash(hash).toString('hex'),
  }));
  const columns = 'environment text, key text, number integer';
  const json = JSON.stringify(rows);
  await statements.query(
    `insert into paysession_ledger.log (position, environment, key, number, leaf)
      select position, environment, key, number, decode(leaf, 'hex')
      from jsonb_to_recordset($1::jsonb) as one (position bigint, ${columns}, leaf text)`,
    [json],
  );
  await statements.query(
    `delete from paysession_ledger.unsequenced waiting using jsonb_to_recordset($1::jsonb) as one (${columns})
      where (waiting.environment, waiting.key, waiting.number) = (one.environment, one.key, one.number)`,
    [json],
  );
}

/** How many entries have a place. */
export async function logSize(statements: Statements): Promise<number> {
  const [row] = await statements.query<{ size: string }>(
    'select coalesce(max(position) + 1, 0) as size from paysession_ledger.log',
  );
  return Number(row?.size ?? 0);
}
