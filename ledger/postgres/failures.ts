import { explain, isPaysessionError, PaysessionError, type ErrorCode } from '../../src/errors';
import { systemCode } from '../../src/files/system-error';

/** The same row was written by somebody else in between. */
export const UNIQUE_VIOLATION = '23505';

/** A value that a row needs is not there. */
export const NOT_NULL_VIOLATION = '23502';

/** Classes of PostgreSQL's codes, and single ones, that say that the call was refused and will be again. */
const REFUSALS: readonly string[] = ['28', '3D', '42', '0A', '22', '23'];

/** Tables or columns that are not there. */
const MISSING: readonly string[] = ['3F000', '42P01', '42703', '42883'];

/** What went wrong at the ledger's server, as an error with a stable code. Its message quotes no value and no password. */
export function toLedgerError(cause: unknown): PaysessionError {
  if (isPaysessionError(cause)) return cause;
  const sqlState = systemCode(cause) ?? '';
  const code = codeOf(sqlState);
  const reason = sqlState === '' ? '' : ` (${sqlState})`;
  return new PaysessionError(code, explain(code).replace(/[.]/, `${reason}.`), { cause });
}

function codeOf(sqlState: string): ErrorCode {
  if (MISSING.includes(sqlState)) return 'LEDGER_SCHEMA_OUTDATED';
  return REFUSALS.some((start) => sqlState.startsWith(start)) ? 'LEDGER_REFUSED' : 'LEDGER_UNAVAILABLE';
}
