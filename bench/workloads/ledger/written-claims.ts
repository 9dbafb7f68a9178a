import { foldedKeys } from '../../../ledger/log/compare-tables';
import type { Statements } from '../../../ledger/postgres/database';
import { rowOf } from '../../../ledger/sessions/stored-summary';
import { summariesOf } from '../../../ledger/sessions/summary';

/**
 * Writes the summaries of all claims. A test or a workload calls this after it has written entries directly to the
 * table.
 */
export async function writeClaims(statements: Statements): Promise<void> {
  for await (const keys of foldedKeys(statements)) {
    const rows = keys.flatMap(({ environment, key, claims }) =>
      summariesOf(claims).map((summary) => ({ environment, key, ...rowOf(summary) })),
    );
    const names = Object.keys(rows[0] ?? {}).join(', ');
    if (rows.length === 0) continue;
    await statements.query(
      `insert into paysession_ledger.claims (${names})
        select ${names} from jsonb_populate_recordset(null::paysession_ledger.claims, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  }
}
