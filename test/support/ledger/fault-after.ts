import type { LedgerFault } from '../../../ledger/log/fault';
import { type VerifyOptions, verifyWith } from '../../../ledger/log/verify';
import type { LedgerDatabase, Statements } from '../../../ledger/postgres/database';

/**
 * Makes a change as the database’s owner, with triggers switched off. Returns the fault that a verification then finds, and undoes
 * the change.
 */
export async function faultAfter(
  database: LedgerDatabase,
  options: VerifyOptions,
  change: (statements: Statements) => Promise<unknown>,
): Promise<LedgerFault | undefined> {
  let fault: LedgerFault | undefined;
  const undone = new Error('undone');
  await database
    .transaction(async (statements) => {
      await statements.query('set local session_replication_role = replica');
      await change(statements);
      ({ fault } = await verifyWith(statements, options));
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return fault;
}

/** Returns a change for `faultAfter` that runs this SQL. */
export const running =
  (sql: string) =>
  async (statements: Statements): Promise<void> => {
    await statements.query(sql);
  };
