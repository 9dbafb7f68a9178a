import { explain, isPaysessionError, PaysessionError, type ErrorCode } from '../../src/errors';
import { systemCode } from '../../src/files';

/** Interprets the errors of the ledger's PostgreSQL server by their codes (SQLSTATE). */

/** A value that must be unique already exists, usually because another writer was faster. */
export const UNIQUE_VIOLATION = '23505';

/** A row lacks a required value. */
export const NOT_NULL_VIOLATION = '23502';

/**
 * The codes of conflicts between two transactions, after which an immediate retry may succeed. They are serialization_failure,
 * deadlock_detected and foreign_key_violation. The last one occurs if an endpoint of webhooks was removed meanwhile. Other failures last longer,
 * and a statement's outcome may be unknown, so the caller retries later.
 */
const PASSING: readonly string[] = ['40001', '40P01', '23503'];

/** True if an immediate retry may succeed. */
export const isPassing = (error: unknown): boolean => PASSING.includes(sqlStateOf(error));

/** The code with which a standby refuses to begin a transaction that may write. */
const FEATURE_NOT_SUPPORTED = '0A000';

/** True if the server refuses to begin a transaction because it is a standby. */
export const isReadOnlyServer = (error: unknown): boolean => sqlStateOf(error) === FEATURE_NOT_SUPPORTED;

/** True if the server cannot read its own stored data: data_corrupted, index_corrupted, or a missing file. */
export const isCorrupted = (error: unknown): boolean => CORRUPTED.includes(sqlStateOf(error));

const CORRUPTED: readonly string[] = ['XX001', 'XX002', '58P01'];

const sqlStateOf = (error: unknown): string =>
  systemCode(isPaysessionError(error) ? error.cause : error) ?? '';

/** The classes of codes (their first two characters) for statements that the server would refuse each time. */
const REFUSALS: readonly string[] = ['28', '3D', '42', '0A', '22', '23', '54'];

/** The codes of missing schemas, tables, columns and functions. */
const MISSING: readonly string[] = ['3F000', '42P01', '42703', '42883'];

/** Messages for codes and classes of codes that need advice of their own. For all others, the message of paysession's error code is used. */
const OWN_WORDS: readonly (readonly [start: string, happened: string, remedy: string])[] = [
  [
    '53100',
    'The disk of the ledger’s PostgreSQL server is full',
    'Make room there: waiting calls then continue by themselves. No payment session is created until then.',
  ],
  [
    '25006',
    'The ledger’s PostgreSQL server is read-only, as a standby is',
    'Point PAYSESSION_LEDGER_URL at the primary server, by an address that follows it. No payment session is created until then.',
  ],
  [
    '53300',
    'The ledger’s PostgreSQL server has no connection left',
    'Raise its max_connections, or put a pooler in front: each process uses up to thirteen. No payment session is created until then.',
  ],
  [
    '57P03',
    'The ledger’s PostgreSQL server is starting or stopping',
    'Wait: waiting calls continue by themselves. No payment session is created until then.',
  ],
  [
    '42501',
    'The ledger’s PostgreSQL server does not allow this role to do that, or not in this environment',
    'Give the role its rights as the owner of the tables: `paysession ledger migrate --grant`. A role that erases or rewraps needs more rights: see docs/guides/ledger.md in the package.',
  ],
  [
    '22',
    'The ledger’s PostgreSQL server refuses a value of this call',
    'Nothing of the call was recorded; the error’s cause says why.',
  ],
  [
    '54',
    'A value of this call is too large for the ledger’s PostgreSQL server',
    'Nothing of the call was recorded; the error’s cause says why.',
  ],
];

/** Converts an error of the ledger's server to a `PaysessionError`. The new message quotes no values and no password. */
export function toLedgerError(cause: unknown): PaysessionError {
  if (isPaysessionError(cause)) return cause;
  const sqlState = systemCode(cause) ?? '';
  const code = codeOf(sqlState);
  return new PaysessionError(code, messageOf(code, sqlState), { cause });
}

/** Describes an error for logs and events. If the error is not a `PaysessionError`, the code is `unexpected`. */
export function described(error: unknown): { readonly code: string; readonly message: string } {
  const code = isPaysessionError(error) ? error.code : 'unexpected';
  return { code, message: error instanceof Error ? error.message : String(error) };
}

function messageOf(code: ErrorCode, sqlState: string): string {
  const own = OWN_WORDS.find(([start]) => sqlState.startsWith(start));
  if (own !== undefined) return `${own[1]} (${sqlState}). ${own[2]}`;
  const reason = sqlState === '' ? '' : ` (${sqlState})`;
  return explain(code).replace(/[.]/, `${reason}.`);
}

function codeOf(sqlState: string): ErrorCode {
  if (MISSING.includes(sqlState)) return 'LEDGER_SCHEMA_OUTDATED';
  return REFUSALS.some((start) => sqlState.startsWith(start)) ? 'LEDGER_REFUSED' : 'LEDGER_UNAVAILABLE';
}
