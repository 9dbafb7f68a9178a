/**
 * The names that a payment session's workflow shares with its callers and workers. They live in recorded histories and in users'
 * code, so they are permanent.
 */

/** The type of a payment session's workflow. */
export const WORKFLOW_TYPE = 'paymentSession';
/** The prefix of a session's workflow id, before its key. */
export const WORKFLOW_ID_PREFIX = 'payment-session/';

/** Returns the id of the workflow that has this key. */
export const workflowIdOf = (key: string): string => `${WORKFLOW_ID_PREFIX}${key}`;

/** Returns the key that a workflow's id names; `undefined` if it is not the id of a payment session. */
export const keyOfWorkflow = (workflowId: string): string | undefined =>
  workflowId.startsWith(WORKFLOW_ID_PREFIX) ? workflowId.slice(WORKFLOW_ID_PREFIX.length) : undefined;
/** The task queue of payment workers, unless their settings name another. */
export const DEFAULT_TASK_QUEUE = 'payment-sessions';
/**
 * The time after which the Temporal server detects that the worker of a session's workflow task is lost. A query that waits for the task
 * may wait that long. The server's own 10 s would make callers wait longer; a session's tasks take milliseconds.
 */
export const WORKFLOW_TASK_TIMEOUT = '6s';
/** The account of sessions that name no account. */
export const DEFAULT_ACCOUNT = 'default';

/** The signal, queries and updates of a payment session. */
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

/** The field of the memo that holds the amount of a request in dollars, as text, for lists; encrypted like the request. */
export const ASKED_AMOUNT = 'paymentSessionAmount';

/** The field of the memo that holds the direction of a request's money, for lists; encrypted like the request. */
export const ASKED_DIRECTION = 'paymentSessionDirection';

/**
 * The value of the search attribute `phase` for a run that the ledger has answered: the key's session had ended, or failed, before the
 * run began. Counts of opened and ended sessions leave such runs out.
 */
export const ANSWERED_PHASE = 'answered';

/** The field of the memo by which a workflow asks its child session to signal changes. */
export const TELLS_PARENT = 'paymentSessionTellsParent';

/** The signal of a change that a session sends to its parent workflow; its argument is the session's state. */
export const CHANGED_SIGNAL = 'paymentSessionChanged';

/** The type of the failure by which an attempt to follow a session asks for the next attempt; it never reaches the session's state. */
export const FOLLOW_AGAIN = 'FollowAgain';

/**
 * The text that replaces a status or code that does not look like one, in search attributes and in the ledger's plain text. In search
 * attributes, it also replaces a code that cannot be read.
 */
export const UNREADABLE = 'unreadable';

/**
 * The heartbeat that a worker sends just before a create request. Only a request that is lost after this heartbeat may have reached the
 * service.
 */
export const ABOUT_TO_SEND = 'about to send';

/** The same heartbeat, from a worker that records the answer to the create request in the ledger before it reports the answer. */
export const ABOUT_TO_SEND_ON_LEDGER = 'about to send, on the ledger';

/**
 * Returns the id of an update. In a run, the Temporal server joins updates with the same id, whatever their names. If the update already
 * has an answer, the server returns it from the history. So the id begins with the name, and `part` separates callers that must not get
 * each other's answer. Callers that use other SDKs choose ids of their own.
 */
export const updateIdOf = (name: string, part: string | number): string => `${name}/${part}`;

/** True if many callers may wait for the update. */
export function isShared(updateId: string): boolean {
  return updateId === MESSAGES.awaitOpened || /^(awaitOpened|awaitChange)\//.test(updateId);
}
