/**
 * The names that a payment session's workflow shares with its callers and workers. Recorded histories and users' code contain these
 * names, so the names are permanent.
 */

/** The type of a payment session's workflow. */
export const WORKFLOW_TYPE = 'paymentSession';
/** The prefix of a session's workflow id. The session's key follows it. */
export const WORKFLOW_ID_PREFIX = 'payment-session/';

/** Returns the workflow id of the session with this key. */
export const workflowIdOf = (key: string): string => `${WORKFLOW_ID_PREFIX}${key}`;

/** Returns the key in a workflow id; `undefined` if the id is not that of a payment session. */
export const keyOfWorkflow = (workflowId: string): string | undefined =>
  workflowId.startsWith(WORKFLOW_ID_PREFIX) ? workflowId.slice(WORKFLOW_ID_PREFIX.length) : undefined;
/** The default task queue of payment workers. */
export const DEFAULT_TASK_QUEUE = 'payment-sessions';
/**
 * The time after which the Temporal server considers the worker of a session's workflow task lost. A query may wait for such a task, so
 * a shorter time than the server's default of 10 s lets callers wait less. The tasks of a session take only milliseconds.
 */
export const WORKFLOW_TASK_TIMEOUT = '6s';
/** The account of a session whose input names no account. */
export const DEFAULT_ACCOUNT = 'default';

/** The names of a payment session's signal, queries and updates. */
export const MESSAGES = {
  cancel: 'cancel',
  state: 'state',
  stateHistory: 'stateHistory',
  awaitOpened: 'awaitOpened',
  cancelAndWait: 'cancelAndWait',
  refresh: 'refresh',
  resolveCreate: 'resolveCreate',
  awaitChange: 'awaitChange',
  recordReveal: 'recordReveal',
  previewAdopt: 'previewAdopt',
} as const;

/** The memo field with the request's amount in dollars, as text. Lists show it. Encrypted like the request. */
export const ASKED_AMOUNT = 'paymentSessionAmount';

/** The memo field with the request's direction, `DEBIT` or `CREDIT`. Lists show it. Encrypted like the request. */
export const ASKED_DIRECTION = 'paymentSessionDirection';

/**
 * The value of the search attribute `phase` for a run that opened no session of its own: the ledger showed that the key's session had
 * already ended or failed, and the run returned that outcome. Counts of opened and ended sessions leave such runs out.
 */
export const ANSWERED_PHASE = 'answered';

/** The memo field by which a parent workflow asks its child session to signal each change. */
export const TELLS_PARENT = 'paymentSessionTellsParent';

/** The signal that a session sends to its parent workflow after a change. The argument is the session's state. */
export const CHANGED_SIGNAL = 'paymentSessionChanged';

/**
 * The failure type by which an attempt to follow a session asks Temporal for the next attempt. It is not an error, and is never shown in
 * the session's state.
 */
export const FOLLOW_AGAIN = 'FollowAgain';

/**
 * The text that search attributes and the ledger's plain text show in place of a status or code that does not have the usual form.
 * Search attributes also show it for a code that cannot be read.
 */
export const UNREADABLE = 'unreadable';

/**
 * The heartbeat that a worker sends just before a create request. If the worker is lost before this heartbeat, the request has certainly
 * not reached the service.
 */
export const ABOUT_TO_SEND = 'about to send';

/**
 * As `ABOUT_TO_SEND`, from a worker with a ledger. Such a worker records the answer in the ledger before it reports the answer to
 * Temporal.
 */
export const ABOUT_TO_SEND_ON_LEDGER = 'about to send, on the ledger';

/**
 * Returns the id of an update. If a run receives two updates with equal ids, the Temporal server carries out only the first, and both
 * callers get its answer. This happens even if the names of the updates differ, so the id begins with the name. Callers that must not
 * get each other's answer pass different values of `part`. Callers with other SDKs choose ids of their own.
 */
export const updateIdOf = (name: string, part: string | number): string => `${name}/${part}`;

/** True if many callers may share the update with this id. */
export function isShared(updateId: string): boolean {
  return updateId === MESSAGES.awaitOpened || /^(awaitOpened|awaitChange)\//.test(updateId);
}
