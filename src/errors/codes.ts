/** Meaning and treatment of an error code. An absent field has its usual value. */
export interface ErrorCodeRow {
  /** The code's meaning, as a sentence. */
  readonly meaning: string;
  /** The next step for the user. */
  readonly remedy: string;
  /** The name of the command line's exit code; `paysession --help` lists the numbers. */
  readonly exit: 'badInput' | 'diverged' | 'notFound' | 'conflict' | 'unavailable' | 'sessionFailed';
  /**
   * True if an activity that fails with this code may be retried: the failure passes by itself, or on another worker. A create request that
   * the service rejects is final whatever the code, because it does not fail its activity.
   * @default false
   */
  readonly repeated?: true;
  /**
   * The type of the error that refuses a Nexus call.
   * @default none: the operation itself fails, for instance because the session did
   */
  readonly nexus?: 'BAD_REQUEST' | 'NOT_FOUND' | 'UNAVAILABLE';
  /**
   * The effect of a failed call to the payment service on the count of failures that pauses an account's calls. `unlessSlow`: a slow call
   * does not count, because only its own session may hang. A slow create request counts unless a later one was answered. `unclear`: the
   * call shows neither that the service works nor that it fails.
   */
  readonly outage?: 'yes' | 'no' | 'unlessSlow' | 'unclear';
  /** The kind of anomaly that a failed call leaves in the session's record. @default none */
  readonly anomaly?: 'sessionUnknown' | 'wrongSession';
}

/** The row of a failed call to the payment service. It always says whether the failure counts towards an outage. */
type ServiceCodeRow = ErrorCodeRow & Required<Pick<ErrorCodeRow, 'outage'>>;

/** The treatment of a Temporal server, ledger or worker that cannot serve a call for now. */
const AWAY = { exit: 'unavailable', repeated: true, nexus: 'UNAVAILABLE' } as const;

/** The usual treatment of a failed call to the payment service. */
const REPEATED_CALL = { exit: 'sessionFailed', repeated: true } as const;

/**
 * Every error code of paysession, with its meaning and treatment everywhere. Codes are permanent: users match on them, and failed
 * sessions carry them in recorded histories as the failure's type. Workflows load this table, so it is plain data.
 */
const TABLE = {
  INVALID_REQUEST: {
    meaning: 'The request breaks the payment service’s rules; nothing was sent.',
    remedy: 'Correct each listed field and try again.',
    exit: 'badInput',
    nexus: 'BAD_REQUEST',
  },
  INVALID_FILTER: {
    meaning: 'A list filter is malformed; nothing was searched.',
    remedy: 'Correct each listed field and try again.',
    exit: 'badInput',
  },
  INVALID_SETTINGS: {
    meaning: 'A setting is missing or malformed.',
    remedy: 'Correct it as the message says. docs/reference/settings.md of the package lists all settings.',
    exit: 'badInput',
  },
  RUNTIME_UNSUPPORTED: {
    meaning: 'Workers do not run on this JavaScript runtime, or this Node is too old.',
    remedy: 'Use Node 22 or 24, or Deno 2.',
    exit: 'badInput',
  },
  INVALID_FILE: {
    meaning: 'A file cannot be read, is not UTF-8 or has the wrong shape.',
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
      'Check the key and the namespace. Ended sessions disappear after the namespace’s retention period; a ledger still knows them.',
    exit: 'notFound',
    nexus: 'NOT_FOUND',
  },
  SESSION_NOT_OPENED: {
    meaning: 'The session ended before it was created at the payment service.',
    remedy:
      'Check its state. If the payment is still wanted, start it again with the same key, or with a new one if its state lists a possible orphan.',
    exit: 'sessionFailed',
  },
  SESSION_STILL_OPENING: {
    meaning:
      'The session has started but has not been created at the payment service yet. It is still trying.',
    remedy: 'Try again later, or check the session’s state to see what it is waiting for.',
    exit: 'unavailable',
  },
  CANCEL_PENDING: {
    meaning: 'The cancellation is recorded and will reach the payment service, but there is no answer yet.',
    remedy: 'Check the session’s state, or wait until it ends. Make sure that a worker is running.',
    exit: 'unavailable',
  },
  SESSION_BUSY: {
    meaning:
      'Too many callers are waiting for the session, so this call was released; its request is still being processed.',
    remedy: 'Check the session’s state, or try again later.',
    exit: 'unavailable',
  },
  SESSION_CONTINUED: {
    meaning: 'The session moved to a new run before it could answer. The request is still being processed.',
    remedy: 'Try again. The TypeScript client does so automatically.',
    exit: 'unavailable',
  },
  SESSION_UPDATE_LIMIT: {
    meaning: 'The session’s current run has reached Temporal’s limit on updates.',
    remedy:
      'Try again: the session moves to a new run as soon as it can. `cancel()` and `paysession cancel` still reach it.',
    exit: 'unavailable',
  },
  SESSION_MISMATCH: {
    meaning: 'That session belongs to a different payment: its type, direction, reference or amount differs.',
    remedy: 'Find the right session at the payment service, and resolve the create request with its id.',
    exit: 'conflict',
  },
  SESSION_FOLLOWED: {
    meaning: 'That session is, or was, followed under another key: its payment belongs to that key.',
    remedy:
      'Find the session that this create request opened at the payment service, and resolve the request with its id.',
    exit: 'conflict',
  },
  SESSION_MAYBE_FOLLOWED: {
    meaning:
      'It is not clear yet whether another key created that session or claims it too, or Temporal’s index is behind.',
    remedy: 'Try again in a moment. If another key is named, check first what happens to its session.',
    exit: 'unavailable',
  },
  SESSION_TERMINATED: {
    meaning: 'The session’s workflow was terminated or timed out.',
    remedy: 'Check whether the session is still open at the payment service.',
    exit: 'sessionFailed',
  },
  CREATE_OUTCOME_UNKNOWN: {
    meaning:
      'The create request may have reached the payment service, but its response was lost or not believed, or a reset has undone it. The session is waiting for a decision.',
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
      'Check the payment service, then start the session again with the same key, or with a new one if its state lists a possible orphan.',
    exit: 'sessionFailed',
  },
  INVALID_INPUT: {
    meaning:
      'The input of a workflow, update or signal has the wrong shape, or the session’s state does not allow it.',
    remedy:
      'Correct the input if the message says what is wrong with it; otherwise check the session’s state first.',
    exit: 'conflict',
    nexus: 'BAD_REQUEST',
  },
  UNKNOWN_ACCOUNT: {
    meaning: 'The worker has no credentials for the session’s account.',
    remedy:
      'Add the account to the worker’s accounts file, and restart the worker; sessions waiting for it then open automatically. If the name is misspelt, cancel the session and start again.',
    exit: 'sessionFailed',
  },
  TEMPORAL_UNAVAILABLE: {
    meaning: 'The Temporal server does not answer.',
    remedy: 'Start one with `paysession dev`, or correct TEMPORAL_ADDRESS.',
    ...AWAY,
  },
  LEDGER_UNAVAILABLE: {
    meaning: 'The ledger’s PostgreSQL server does not answer.',
    remedy:
      'Check that the server runs, and PAYSESSION_LEDGER_URL. No payment session is created until it answers.',
    ...AWAY,
  },
  LEDGER_REFUSED: {
    meaning: 'The ledger’s PostgreSQL server refused the call.',
    remedy: 'Check user, password, database and rights in PAYSESSION_LEDGER_URL; the error’s cause says why.',
    ...AWAY,
  },
  LEDGER_DATABASE_UNFIT: {
    meaning: 'The ledger’s database cannot keep what the ledger writes.',
    remedy:
      'Use a database in UTF-8 and a role that runs triggers: `create database paysession encoding UTF8 template template0`, then `paysession ledger migrate`.',
    ...AWAY,
  },
  LEDGER_SCHEMA_OUTDATED: {
    meaning: 'The ledger’s tables are older than this version of paysession needs, or are not there yet.',
    remedy: 'Run `paysession ledger migrate`.',
    ...AWAY,
  },
  LEDGER_SCHEMA_NEWER: {
    meaning: 'The ledger’s tables are newer than this version of paysession knows.',
    remedy: 'Upgrade paysession here to the version that has migrated the ledger.',
    ...AWAY,
  },
  LEDGER_TAMPERED: {
    meaning: 'The ledger was changed: entries are not what was written, or are gone.',
    remedy:
      'Run `paysession ledger verify --since` with the last published checkpoint; the command prints the first fault.',
    exit: 'diverged',
  },
  WEBHOOK_ENDPOINT_UNKNOWN: {
    meaning: 'No webhook endpoint has this name.',
    remedy:
      'Check the name: `paysession webhooks list` shows all endpoints that the ledger keeps webhooks for.',
    exit: 'notFound',
  },
  TEMPORAL_REFUSED: {
    meaning: 'The Temporal server refused the call.',
    remedy: 'Check TEMPORAL_NAMESPACE and the credentials; the error’s cause says why.',
    exit: 'unavailable',
  },
  TEMPORAL_BUSY: {
    meaning: 'The Temporal server is overloaded or rate-limiting.',
    remedy: 'Try again in a few seconds. If it persists, check the Temporal server’s load and rate limits.',
    exit: 'unavailable',
    nexus: 'UNAVAILABLE',
  },
  TEMPORAL_NOT_FOUND: {
    meaning: 'No Temporal server could be found, downloaded or built on this machine.',
    remedy: 'Set TEMPORAL_ADDRESS, or install the Temporal CLI or Go.',
    exit: 'unavailable',
  },
  TEMPORAL_STUCK: {
    meaning: 'Virtual time is not advancing in a world of the testing kit.',
    remedy:
      'Make sure that a worker polls the task queue of each workflow and activity. If one does, Temporal’s test server has lost a task: run the test again in a new world.',
    exit: 'unavailable',
  },
  TESTED_CODE_FAILED: {
    meaning:
      'Your own code does not do what a world of the testing kit waits for, for instance because a workflow or an activity fails each time it is tried.',
    remedy:
      'Correct the code or the name that the message shows. An activity that is meant to be tried for longer needs more `activityAttempts`.',
    exit: 'unavailable',
  },
  SEARCH_ATTRIBUTES_MISSING: {
    meaning: 'The namespace is missing the search attributes that payment sessions need.',
    remedy:
      'Register PaymentSessionProblem and PaymentSessionMetadata as a KeywordList, PaymentSessionChangeDelayMs as an Int, and each of the others as a Keyword. Workers register them at startup if permitted.',
    exit: 'unavailable',
  },
  SEARCH_ATTRIBUTES_MISTYPED: {
    meaning:
      'A search attribute of payment sessions is registered with the wrong type, so no session can set it.',
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
      'Encrypted data was altered, belongs to another session or namespace, or was encrypted with a different key that has the same id.',
    remedy:
      'Compare PAYSESSION_ENCRYPTION_KEYS with the keys of the worker that wrote the data, and the namespaces that you name. If they match, the stored data was altered: follow docs/guides/encryption.md of the package.',
    exit: 'badInput',
    repeated: true,
  },
  ENCRYPTION_REQUIRED: {
    meaning: 'Session data arrived unencrypted, but encryption is required.',
    remedy:
      'Configure the sender’s encryption keys. docs/guides/encryption.md of the package says how a waiting session continues.',
    exit: 'badInput',
    repeated: true,
  },
  WORKER_UNAVAILABLE: {
    meaning: 'No worker answered in time.',
    remedy: 'Start one with `paysession worker` for the session’s namespace and task queue.',
    ...AWAY,
  },
  SERVICE_UNREACHABLE: {
    meaning: 'The payment service could not be reached; nothing was sent.',
    remedy:
      'Check the account’s base URL, the network, and HTTPS_PROXY and NO_PROXY if they are set, or start a sandbox with `paysession sandbox`.',
    exit: 'unavailable',
    repeated: true,
    outage: 'yes',
  },
  SERVICE_INTERRUPTED: {
    meaning: 'The connection failed or timed out after the call was sent.',
    remedy: 'Reads and cancellations are retried. For a create request, see CREATE_OUTCOME_UNKNOWN.',
    ...REPEATED_CALL,
    outage: 'unlessSlow',
  },
  SERVICE_CREDENTIALS_REJECTED: {
    meaning: 'The payment service rejects the client id and secret.',
    remedy:
      'Correct the account’s client id and secret in the worker’s settings or accounts file, and restart the worker; sessions waiting for it then open automatically.',
    exit: 'sessionFailed',
    outage: 'unclear',
  },
  SERVICE_TOKEN_REJECTED: {
    meaning: 'The payment service rejects a newly issued access token (401).',
    remedy: 'Ask the payment service’s operator about this client.',
    ...REPEATED_CALL,
    outage: 'unclear',
  },
  SERVICE_REQUEST_REJECTED: {
    meaning: 'The payment service rejects the request as invalid (400 or another 4xx).',
    remedy:
      'Correct what the service’s problem details name, then start the session again with the same key, or with a new one if its state lists a possible orphan.',
    ...REPEATED_CALL,
    outage: 'no',
  },
  SERVICE_FORBIDDEN: {
    meaning: 'The client is not enabled for a feature that the request needs (403).',
    remedy: 'Ask the payment service’s operator to enable it, for instance `RegularEft`.',
    ...REPEATED_CALL,
    outage: 'no',
  },
  SERVICE_SESSION_UNKNOWN: {
    meaning: 'The payment service does not know the session (404).',
    remedy: 'Check that the account and the base URL are the ones it was opened with.',
    ...REPEATED_CALL,
    outage: 'no',
    anomaly: 'sessionUnknown',
  },
  SERVICE_WRONG_SESSION: {
    meaning: 'The payment service returned a different session, so the answer was ignored.',
    remedy:
      'Reads and cancellations are retried. For a create request, see CREATE_OUTCOME_UNKNOWN. If it keeps happening, check the account’s base URL and any caching proxy.',
    ...REPEATED_CALL,
    outage: 'no',
    anomaly: 'wrongSession',
  },
  SERVICE_RATE_LIMITED: {
    meaning: 'The payment service has received too many calls (429).',
    remedy: 'No action needed; the call is retried after the delay that the service asks for.',
    ...REPEATED_CALL,
    outage: 'yes',
  },
  SERVICE_PAUSED: {
    meaning: 'Calls for this account are paused; nothing was sent.',
    remedy: 'No action needed; the call is retried.',
    ...REPEATED_CALL,
    outage: 'unclear',
  },
  SERVICE_FAILED: {
    meaning: 'The payment service answered with a server error (5xx) or a redirect.',
    remedy:
      'Calls are retried; for a create request, see CREATE_OUTCOME_UNKNOWN. For a redirect, correct the account’s base URL.',
    ...REPEATED_CALL,
    outage: 'yes',
  },
  SERVICE_UNREADABLE: {
    meaning: 'The payment service’s answer is empty, too large, or does not match its contract.',
    remedy: 'Check that the account’s base URL names the payment service.',
    ...REPEATED_CALL,
    outage: 'no',
  },
  HISTORY_UNREADABLE: {
    meaning: 'A payload in the session’s history cannot be read, so the history was not exported.',
    remedy: 'Export with the codecs and keys that the workers use.',
    exit: 'badInput',
  },
} as const satisfies Record<string, ErrorCodeRow> & Record<`SERVICE_${string}`, ServiceCodeRow>;

/** The code of an error: a permanent name to match on. */
export type ErrorCode = keyof typeof TABLE;

/** The code of a failed call to the payment service. */
export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

/**
 * Every error code, with its meaning, the next step and its treatment.
 *
 * @example
 * ```ts
 * const { meaning, remedy } = ERROR_CODES.SESSION_CONFLICT;
 * ```
 */
export const ERROR_CODES: Readonly<
  Record<Exclude<ErrorCode, ServiceErrorCode>, ErrorCodeRow> & Record<ServiceErrorCode, ServiceCodeRow>
> = TABLE;

/** Returns the row of a code; `undefined` for a code that only another version of the package knows. */
export function rowOf(code: string): ErrorCodeRow | undefined {
  return isErrorCode(code) ? ERROR_CODES[code] : undefined;
}

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(TABLE, value);
}
