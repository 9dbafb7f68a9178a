import { PaysessionError, type ErrorCode } from '../../src/errors';

/** Exit codes of the command line; each group of error codes has one. */
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
} as const;

/** What each exit code means, for `--help` and the README. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  unexpected: 'an unexpected error',
  badInput: 'invalid request, settings, file or arguments, or a port or folder in use; nothing was started',
  notFound: 'no session has the key',
  conflict: 'the key belongs to another request, or the session’s state does not allow the command',
  unavailable: 'the Temporal server, a worker or the payment service does not answer',
  sessionFailed: 'the session never opened, or the demo did not end as it should',
  someFailed: 'some of the sessions were not started; the others were',
  diverged: 'a recorded session does not replay on this code: a deploy would break it',
  unpaid: 'the session has ended and is not paid',
};

export function exitCodeOf(error: unknown): number {
  return error instanceof PaysessionError ? EXIT[groupOf(error.code)] : EXIT.unexpected;
}

function groupOf(code: ErrorCode): keyof typeof EXIT {
  switch (code) {
    case 'INVALID_REQUEST':
    case 'INVALID_SETTINGS':
    case 'INVALID_FILE':
    case 'HISTORY_UNREADABLE':
    case 'PORT_IN_USE':
    case 'FOLDER_IN_USE':
    case 'ENCRYPTION_KEY_MISSING':
      return 'badInput';
    case 'SESSION_NOT_FOUND':
      return 'notFound';
    case 'SESSION_CONFLICT':
    case 'INVALID_INPUT':
    case 'CREATE_OUTCOME_UNKNOWN':
    case 'SESSION_MISMATCH':
      return 'conflict';
    case 'ENGINE_UNAVAILABLE':
    case 'ENGINE_NOT_FOUND':
    case 'SEARCH_ATTRIBUTES_MISSING':
    case 'WORKER_UNAVAILABLE':
    case 'SERVICE_UNREACHABLE':
    case 'SESSION_STILL_OPENING':
    case 'SESSION_BUSY':
    case 'CANCEL_PENDING':
    case 'ENGINE_REFUSED':
      return 'unavailable';
    default:
      return 'sessionFailed';
  }
}
