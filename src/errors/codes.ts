/**
 * Every error code of paysession: what it means, and what to do next. Codes are permanent: users match on them, and
 * failed sessions carry them in recorded histories as the failure's type.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: {
    meaning: 'The request breaks the payment service’s contract; nothing was started.',
    remedy: 'Correct each listed field and call again.',
  },
  INVALID_SETTINGS: {
    meaning: 'A setting is missing or malformed.',
    remedy: 'Set it as the message says; `paysession doctor` shows all settings.',
  },
  INVALID_FILE: {
    meaning: 'A file cannot be read or has the wrong shape.',
    remedy: 'Correct the file that the message names.',
  },
  PORT_IN_USE: {
    meaning: 'Another program listens on the port.',
    remedy: 'Choose another port, or stop the other program.',
  },
  FOLDER_IN_USE: {
    meaning: 'Another sandbox has the data folder open.',
    remedy: 'Choose another folder, or stop the other sandbox.',
  },
  SESSION_CONFLICT: {
    meaning: 'The key already belongs to a session with another request.',
    remedy: 'Use a new key for a new payment, or the same request to attach to the existing session.',
  },
  SESSION_NOT_FOUND: {
    meaning: 'No payment session has this key.',
    remedy: 'Check the key and the namespace; ended sessions disappear after the namespace’s retention.',
  },
  SESSION_NOT_OPENED: {
    meaning: 'The session ended before it was created at the payment service.',
    remedy: 'Read its state; start a new session with a new key if the payment is still wanted.',
  },
  SESSION_STILL_OPENING: {
    meaning: 'The session is started but not created at the payment service yet; it goes on.',
    remedy: 'Ask again with `opened()`, or read its `state()` for the trouble it has.',
  },
  CANCEL_PENDING: {
    meaning: 'The engine holds the cancel and it will reach the payment service, but there is no answer yet.',
    remedy: 'Read the session’s `state()`, or wait for its `result()`; check that a worker runs.',
  },
  SESSION_BUSY: {
    meaning:
      'Many callers wait for the session, and the one that waited longest made room; what it asked for goes on.',
    remedy: 'Read the session’s `state()`, or ask again later.',
  },
  SESSION_CONTINUED: {
    meaning: 'The session went on in a new run before it could answer; what was asked for goes on.',
    remedy: 'Ask again; `PaymentSessions` does so by itself.',
  },
  SESSION_MISMATCH: {
    meaning:
      'The session named by `resolveCreate` is not this payment: another type, direction, reference or amount.',
    remedy: 'Look up the right session at the payment service, and answer again.',
  },
  SESSION_TERMINATED: {
    meaning: 'The session’s workflow was terminated or timed out from outside.',
    remedy: 'Check at the payment service whether the session is still open there.',
  },
  CREATE_OUTCOME_UNKNOWN: {
    meaning: 'The create call was sent and its answer was lost, so the session waits for a decision.',
    remedy: 'Look the session up at the payment service, then answer with `resolveCreate`.',
  },
  CREATE_ABANDONED: {
    meaning: 'A create call with an unknown outcome was given up by `resolveCreate({ abandon: true })`.',
    remedy: 'Check at the payment service that no session stays open, then use a new key.',
  },
  CREATE_DEADLINE_PASSED: {
    meaning: 'The session could not be created before its overall deadline.',
    remedy: 'Check the payment service, then start again with a new key.',
  },
  INVALID_INPUT: {
    meaning: 'The input of a workflow, update or signal has the wrong shape.',
    remedy: 'Send the shape that the README documents.',
  },
  UNKNOWN_ACCOUNT: {
    meaning: 'The worker has no credentials for the account that the session names.',
    remedy: 'Add the account to the worker’s accounts file, or start the session with a known account.',
  },
  ENGINE_UNAVAILABLE: {
    meaning: 'The Temporal server does not answer.',
    remedy: 'Start it (`paysession dev`), or correct TEMPORAL_ADDRESS.',
  },
  ENGINE_REFUSED: {
    meaning: 'The Temporal server refused the call.',
    remedy: 'Check TEMPORAL_NAMESPACE and the credentials; the error’s cause tells why.',
  },
  ENGINE_NOT_FOUND: {
    meaning: 'No Temporal server could be found, downloaded or built on this machine.',
    remedy: 'Set TEMPORAL_ADDRESS, or install the Temporal CLI or Go.',
  },
  SEARCH_ATTRIBUTES_MISSING: {
    meaning: 'The namespace lacks the search attributes of payment sessions.',
    remedy: 'Register them as the message says.',
  },
  ENCRYPTION_KEY_MISSING: {
    meaning: 'Data that the engine stores is encrypted with a key that is not at hand.',
    remedy: 'Add that key to PAYSESSION_ENCRYPTION_KEYS, behind the current one.',
  },
  WORKER_UNAVAILABLE: {
    meaning: 'No worker answered in time.',
    remedy: 'Start one (`paysession worker`) on the session’s namespace and task queue.',
  },
  SERVICE_UNREACHABLE: {
    meaning: 'The payment service could not be reached; nothing was sent.',
    remedy: 'Check PAYSESSION_BASE_URL and the network.',
  },
  SERVICE_INTERRUPTED: {
    meaning: 'The connection failed or timed out after the call was sent.',
    remedy: 'Reading and cancelling are repeated; for a create, see CREATE_OUTCOME_UNKNOWN.',
  },
  SERVICE_CREDENTIALS_REJECTED: {
    meaning: 'The payment service refuses the client id and secret.',
    remedy: 'Correct PAYSESSION_CLIENT_ID and PAYSESSION_CLIENT_SECRET.',
  },
  SERVICE_TOKEN_REJECTED: {
    meaning: 'The payment service refuses a fresh access token (401).',
    remedy: 'Check the client with the payment service’s operator.',
  },
  SERVICE_REQUEST_REJECTED: {
    meaning: 'The payment service refuses the request as invalid (400 or another 4xx).',
    remedy: 'Read `problem.detail`; correct the request and use a new key.',
  },
  SERVICE_FORBIDDEN: {
    meaning: 'The client lacks a feature that the request needs (403).',
    remedy: 'Have the feature enabled for the client, for instance `RegularEft`.',
  },
  SERVICE_SESSION_UNKNOWN: {
    meaning: 'The payment service does not know the session (404).',
    remedy: 'Check that the account and the base URL are those that opened it.',
  },
  SERVICE_WRONG_SESSION: {
    meaning: 'The payment service answered about another session; the answer is not believed.',
    remedy: 'Nothing: the call is repeated. If it lasts, check PAYSESSION_BASE_URL and any proxy’s cache.',
  },
  SERVICE_RATE_LIMITED: {
    meaning: 'The payment service limits calls (429).',
    remedy: 'Nothing: the call is repeated after the time that the service asks for.',
  },
  SERVICE_PAUSED: {
    meaning:
      'Nothing was sent: the account’s calls are slowed down, by its rate limit or since the service is failing.',
    remedy: 'Nothing: the call is made at its turn.',
  },
  SERVICE_FAILED: {
    meaning: 'The payment service answered with a server error (5xx) or a redirect.',
    remedy: 'Nothing for a passing fault: calls are repeated. For a redirect, correct PAYSESSION_BASE_URL.',
  },
  SERVICE_UNREADABLE: {
    meaning: 'The payment service’s answer is empty, too large or not what its contract says.',
    remedy: 'Check that PAYSESSION_BASE_URL names the payment service.',
  },
  HISTORY_UNREADABLE: {
    meaning: 'A payload of a session’s history cannot be read, so it was not exported.',
    remedy: 'Export with the codecs and keys that the workers have.',
  },
} as const satisfies Record<string, { meaning: string; remedy: string }>;

/** The code of an error: a permanent name to match on. */
export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(ERROR_CODES, value);
}
