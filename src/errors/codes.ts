import type { ErrorCodeRow, ServiceCodeRow } from './code-row';

/**
 * Every error code of paysession, and all that is asked of it anywhere. Codes are permanent: users match on them, and
 * failed sessions carry them in recorded histories as the failure's type. Workflows load this table: it is plain data.
 */
const TABLE = {
  INVALID_REQUEST: {
    meaning: 'The request breaks the payment service’s rules; nothing was started.',
    remedy: 'Correct each listed field and try again.',
    exit: 'badInput',
    nexus: 'BAD_REQUEST',
  },
  INVALID_FILTER: {
    meaning: 'A filter of a list is malformed; nothing was looked for.',
    remedy: 'Correct each listed field and try again.',
    exit: 'badInput',
  },
  INVALID_SETTINGS: {
    meaning: 'A setting is missing or malformed.',
    remedy: 'Correct it as the message says. docs/reference/settings.md of the package lists all settings.',
    exit: 'badInput',
  },
  INVALID_FILE: {
    meaning: 'A file cannot be read or has the wrong shape.',
    remedy: 'Correct the file that the message names.',
    exit: 'badInput',
  },
  PORT_IN_USE: {
    meaning: 'Another program is listening on the port.',
    remedy: 'Choose another port, or stop the other program.',
    exit: 'badInput',
  },
  FOLDER_IN_USE: {
    meaning: 'Another sandbox is using the data folder.',
    remedy: 'Choose another folder, or stop the other sandbox.',
    exit: 'badInput',
  },
  SESSION_CONFLICT: {
    meaning: 'The key belongs to a session with a different request.',
    remedy: 'Use a new key for a new payment. The same request attaches to the existing session.',
    exit: 'conflict',
    nexus: 'BAD_REQUEST',
  },
  SESSION_NOT_FOUND: {
    meaning: 'No payment session has this key.',
    remedy:
      'Check the key and the namespace. Ended sessions disappear after the namespace’s retention period.',
    exit: 'notFound',
    nexus: 'NOT_FOUND',
  },
  SESSION_NOT_OPENED: {
    meaning: 'The session ended before it was created at the payment service.',
    remedy:
      'Read its state. If the payment is still wanted, start again: with the same key, or a new one if its state has a possible orphan.',
    exit: 'sessionFailed',
  },
  SESSION_STILL_OPENING: {
    meaning: 'The session has started but is not created at the payment service yet. It continues.',
    remedy: 'Ask again later, or read the session’s state to see what it waits for.',
    exit: 'unavailable',
  },
  CANCEL_PENDING: {
    meaning: 'The cancel is recorded and will reach the payment service, but there is no answer yet.',
    remedy: 'Read the session’s state, or wait for its end. Check that a worker is running.',
    exit: 'unavailable',
  },
  SESSION_BUSY: {
    meaning:
      'Too many callers are waiting for the session. The oldest waiting call was released; what it asked for continues.',
    remedy: 'Read the session’s state, or ask again later.',
    exit: 'unavailable',
  },
  SESSION_CONTINUED: {
    meaning: 'The session moved to a new run before it could answer. What was asked for continues.',
    remedy: 'Ask again. The TypeScript client does so by itself.',
    exit: 'sessionFailed',
  },
  SESSION_UPDATE_LIMIT: {
    meaning: 'The session’s current run has reached Temporal’s limit on updates.',
    remedy:
      'Ask again: the session moves to a new run as soon as it can. A cancel by `cancel()` or `paysession cancel` still reaches it.',
    exit: 'unavailable',
  },
  SESSION_MISMATCH: {
    meaning: 'That session belongs to a different payment: its type, direction, reference or amount differs.',
    remedy: 'Find the right session at the payment service, and resolve the create with its id.',
    exit: 'conflict',
  },
  SESSION_FOLLOWED: {
    meaning: 'That session is, or was, followed under another key: its payment belongs to that key.',
    remedy:
      'Find the session that this create opened at the payment service, and resolve the create with its id.',
    exit: 'conflict',
  },
  SESSION_MAYBE_FOLLOWED: {
    meaning:
      'Another key may have made that session, or claims it too, and nobody can tell yet; or Temporal’s index is behind.',
    remedy: 'Ask again in a moment. Where another key is named, look first at what becomes of it.',
    exit: 'unavailable',
  },
  SESSION_TERMINATED: {
    meaning: 'The session’s workflow was terminated or timed out.',
    remedy: 'Check whether the session is still open at the payment service.',
    exit: 'sessionFailed',
  },
  CREATE_OUTCOME_UNKNOWN: {
    meaning: 'The create call was sent but its answer was lost. The session waits for a decision.',
    remedy:
      'Look for the session in the payment service’s own records, then decide with `paysession resolve`.',
    exit: 'conflict',
  },
  CREATE_ABANDONED: {
    meaning: 'An operator abandoned the create request, whose outcome was unknown.',
    remedy: 'Make sure that no session is left open at the payment service, then start again with a new key.',
    exit: 'sessionFailed',
  },
  CREATE_DEADLINE_PASSED: {
    meaning: 'The session could not be created before its deadline.',
    remedy:
      'Check the payment service, then start again: with the same key, or a new one if its state has a possible orphan.',
    exit: 'sessionFailed',
  },
  INVALID_INPUT: {
    meaning: 'The input of a workflow, update or signal has the wrong shape.',
    remedy: 'Correct the input if the message names a fault; otherwise read the session’s state first.',
    exit: 'conflict',
    nexus: 'BAD_REQUEST',
  },
  UNKNOWN_ACCOUNT: {
    meaning: 'The worker has no credentials for the session’s account.',
    remedy:
      'Add the account to the worker’s accounts file: a session that waits for it then opens by itself. If its name is misspelt, cancel the session and start again.',
    exit: 'sessionFailed',
  },
  ENGINE_UNAVAILABLE: {
    meaning: 'The Temporal server does not answer.',
    remedy: 'Start one with `paysession dev`, or correct TEMPORAL_ADDRESS.',
    exit: 'unavailable',
    repeated: true,
    nexus: 'UNAVAILABLE',
  },
  ENGINE_REFUSED: {
    meaning: 'The Temporal server refused the call.',
    remedy: 'Check TEMPORAL_NAMESPACE and the credentials; the error’s cause says why.',
    exit: 'unavailable',
  },
  ENGINE_BUSY: {
    meaning: 'The Temporal server is overloaded or rate-limiting.',
    remedy: 'Try again in a few seconds. If it persists, check the server’s load and rate limits.',
    exit: 'unavailable',
    nexus: 'UNAVAILABLE',
  },
  ENGINE_NOT_FOUND: {
    meaning: 'No Temporal server could be found, downloaded or built on this machine.',
    remedy: 'Set TEMPORAL_ADDRESS, or install the Temporal CLI or Go.',
    exit: 'unavailable',
  },
  ENGINE_STUCK: {
    meaning: 'Virtual time is not advancing in a world of the testing kit.',
    remedy:
      'Make sure that a worker polls the task queue of each workflow and activity. If one does, Temporal’s test server has lost a task: run the test again in a new world.',
    exit: 'unavailable',
  },
  SEARCH_ATTRIBUTES_MISSING: {
    meaning: 'The namespace lacks the search attributes of payment sessions.',
    remedy:
      'Register each as a Keyword, PaymentSessionProblem as a KeywordList, PaymentSessionNewsDelayMs as an Int. Workers register them at startup if permitted.',
    exit: 'unavailable',
  },
  SEARCH_ATTRIBUTES_MISTYPED: {
    meaning:
      'A search attribute of payment sessions is registered with the wrong type, so no session could set it.',
    remedy:
      'If no other program needs it, remove it and register it again with the right type; the message gives the commands. Otherwise use another namespace.',
    exit: 'unavailable',
  },
  ENCRYPTION_KEY_MISSING: {
    meaning: 'Stored data is encrypted with a key that is not configured here.',
    remedy: 'Add that key to PAYSESSION_ENCRYPTION_KEYS, after the current one.',
    exit: 'badInput',
    repeated: true,
  },
  ENCRYPTION_TAMPERED: {
    meaning:
      'Encrypted data was altered, belongs to another namespace, or was encrypted with a different key of the same id.',
    remedy:
      'Compare PAYSESSION_ENCRYPTION_KEYS with those of the worker that wrote it. If they match, somebody altered what Temporal stores: follow docs/guides/encryption.md of the package.',
    exit: 'badInput',
    repeated: true,
  },
  ENCRYPTION_REQUIRED: {
    meaning: 'Data of a session arrived unencrypted, but encryption is required.',
    remedy:
      'Configure the sender’s encryption keys. docs/guides/encryption.md of the package says how a waiting session continues.',
    exit: 'badInput',
    repeated: true,
  },
  WORKER_UNAVAILABLE: {
    meaning: 'No worker answered in time.',
    remedy: 'Start one with `paysession worker`, on the session’s namespace and task queue.',
    exit: 'unavailable',
    repeated: true,
    nexus: 'UNAVAILABLE',
  },
  SERVICE_UNREACHABLE: {
    meaning: 'The payment service could not be reached; nothing was sent.',
    remedy: 'Check PAYSESSION_BASE_URL and the network, or start a sandbox with `paysession sandbox`.',
    exit: 'unavailable',
    repeated: true,
    outage: 'yes',
  },
  SERVICE_INTERRUPTED: {
    meaning: 'The connection failed or timed out after the call was sent.',
    remedy: 'Reads and cancels are repeated. For a create, see CREATE_OUTCOME_UNKNOWN.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'unlessSlow',
  },
  SERVICE_CREDENTIALS_REJECTED: {
    meaning: 'The payment service rejects the client id and secret.',
    remedy:
      'Correct PAYSESSION_CLIENT_ID and PAYSESSION_CLIENT_SECRET, and restart the worker: a session that waits for it then opens by itself.',
    exit: 'sessionFailed',
    outage: 'unclear',
  },
  SERVICE_TOKEN_REJECTED: {
    meaning: 'The payment service rejects a fresh access token (401).',
    remedy: 'Ask the payment service’s operator about the client.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'unclear',
  },
  SERVICE_REQUEST_REJECTED: {
    meaning: 'The payment service rejects the request as invalid (400 or another 4xx).',
    remedy:
      'Correct what the service’s problem details name, and start again: with the same key, or a new one if its state has a possible orphan.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'no',
  },
  SERVICE_FORBIDDEN: {
    meaning: 'The client lacks a feature that the request needs (403).',
    remedy: 'Ask the payment service’s operator to enable it, for instance `RegularEft`.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'no',
  },
  SERVICE_SESSION_UNKNOWN: {
    meaning: 'The payment service does not know the session (404).',
    remedy: 'Check that the account and the base URL are the ones it was opened with.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'no',
    anomaly: 'sessionUnknown',
  },
  SERVICE_WRONG_SESSION: {
    meaning: 'The payment service answered about another session, so the answer was ignored.',
    remedy:
      'No action needed; the call is repeated. If it keeps happening, check PAYSESSION_BASE_URL and any proxy’s cache.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'no',
    anomaly: 'wrongSession',
  },
  SERVICE_RATE_LIMITED: {
    meaning: 'The payment service has received too many calls (429).',
    remedy: 'No action needed; the call is repeated after the time that the service asks for.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'yes',
  },
  SERVICE_PAUSED: {
    meaning: 'Calls of this account are paused; nothing was sent.',
    remedy: 'No action needed; the call is repeated.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'unclear',
  },
  SERVICE_FAILED: {
    meaning: 'The payment service answered with a server error (5xx) or a redirect.',
    remedy: 'No action needed if it passes; calls are repeated. For a redirect, correct PAYSESSION_BASE_URL.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'yes',
  },
  SERVICE_UNREADABLE: {
    meaning: 'The payment service’s answer is empty, too large or not as its contract says.',
    remedy: 'Check that PAYSESSION_BASE_URL names the payment service.',
    exit: 'sessionFailed',
    repeated: true,
    outage: 'no',
  },
  HISTORY_UNREADABLE: {
    meaning: 'A payload of a session’s history cannot be read, so the history was not exported.',
    remedy: 'Export with the codecs and keys that the workers use.',
    exit: 'badInput',
  },
} as const satisfies Record<string, ErrorCodeRow> & Record<`SERVICE_${string}`, ServiceCodeRow>;

/** The code of an error: a permanent name to match on. */
export type ErrorCode = keyof typeof TABLE;

/** Codes of a failed call to the payment service. */
export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

/** Every error code with its meaning, what to do next, and how it is treated. */
export const ERROR_CODES: Readonly<
  Record<Exclude<ErrorCode, ServiceErrorCode>, ErrorCodeRow> & Record<ServiceErrorCode, ServiceCodeRow>
> = TABLE;

/** The row of a code; `undefined` of one that only another version of the package knows. */
export function rowOf(code: string): ErrorCodeRow | undefined {
  return isErrorCode(code) ? ERROR_CODES[code] : undefined;
}

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(TABLE, value);
}
