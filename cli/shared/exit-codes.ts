import { isPaysessionError, rowOf, type ErrorCode } from '../../src/errors';
import { MissingPackagesError } from '../../src/files';

/** The exit codes of the command line. The table of error codes says which error leads to which exit code. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  badInput: 2,
  notFound: 3,
  conflict: 4,
  unavailable: 5,
  sessionFailed: 6,
  someFailed: 7,
  diverged: 8,
  unpaid: 9,
  unread: 141,
} as const;

/** The meaning of each exit code, for `--help` and the reference. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  unexpected: 'an unexpected error',
  badInput:
    'an invalid request, setting, file or argument, a missing package, an unsupported Node version, a missing or wrong encryption key, or a port or folder in use',
  notFound: 'no session, line or webhook endpoint has the key, id or name',
  conflict:
    'the key or the session belongs to a different payment, or the session’s state does not allow the command',
  unavailable:
    'the Temporal server, a worker or the ledger does not answer or refuses the call, the payment service cannot be reached, the session is not ready yet, an endpoint refused a message, or doctor or keys check found a problem',
  sessionFailed: 'the session or a call to the payment service failed, or the demo did not end as expected',
  someFailed:
    'some sessions were not started or not recorded or had failed before, or some lines were not matched',
  diverged: 'a session does not replay on this code, so a deploy would break it, or the ledger was changed',
  unpaid: 'the session has ended and is not paid',
  unread:
    'the program that reads the output has closed the pipe, as `head` does, before the command was done',
};

/** Returns the exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof MissingPackagesError) return EXIT.badInput;
  return isPaysessionError(error) ? exitCodeOfCode(error.code) : EXIT.unexpected;
}

/** Returns the exit code of an error code. */
export const exitCodeOfCode = (code: ErrorCode): number => EXIT[rowOf(code)?.exit ?? 'unexpected'];
