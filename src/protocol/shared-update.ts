/**
 * Ids of the update `awaitOpened`, by which callers share one: the engine joins updates of one id in a run, and answers
 * from the history once it is settled. Callers of other SDKs have ids of their own.
 */
const AWAIT_OPENED = 'awaitOpened';

/**
 * The id that the callers of a session share; `part` keeps callers apart who must not have each other's answer.
 */
export function sharedUpdateId(part?: string | number): string {
  return part === undefined ? AWAIT_OPENED : `${AWAIT_OPENED}/${part}`;
}

/** Whether many callers may wait for the update. */
export function isShared(updateId: string): boolean {
  return updateId === AWAIT_OPENED || updateId.startsWith(`${AWAIT_OPENED}/`);
}
