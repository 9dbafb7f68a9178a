/**
 * Ids of the updates `awaitOpened` and `awaitChange`, by which callers share one: the engine joins updates of one id in a run,
 * and answers from the history once it is settled. Callers of other SDKs have ids of their own.
 */
const AWAIT_OPENED = 'awaitOpened';
const AWAIT_CHANGE = 'awaitChange';

/**
 * The id that the callers of a session share; `part` keeps callers apart who must not have each other's answer.
 */
export function sharedUpdateId(part?: string | number): string {
  return part === undefined ? AWAIT_OPENED : `${AWAIT_OPENED}/${part}`;
}

/**
 * The id that all share who wait for the change after a revision: a session takes no more of these updates than it has
 * changes, however many callers wait, however long and however often they ask again.
 */
export function changeUpdateId(revision: number): string {
  return `${AWAIT_CHANGE}/${revision}`;
}

/** Whether many callers may wait for the update. */
export function isShared(updateId: string): boolean {
  return updateId === AWAIT_OPENED || /^(awaitOpened|awaitChange)\//.test(updateId);
}
