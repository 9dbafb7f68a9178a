/** Session ids, as the service gives them out (contract A10). */

const SHORT_LENGTH = 8;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a value has the form of the service's session ids: a UUID, in upper or lower case. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** As much of an id as tells its session from others, and not enough to open the payor's page; absent for no UUID. */
export function shortSessionId(sessionId: string): string | undefined {
  return isSessionId(sessionId) ? sessionId.slice(0, SHORT_LENGTH).toLowerCase() : undefined;
}

/** The same for all spellings of one session's id: the case of a UUID's letters means nothing. */
export const sessionIdentity = (sessionId: string): string =>
  isSessionId(sessionId) ? sessionId.toLowerCase() : sessionId;

/** Whether two ids name the same session. */
export const isSameSession = (one: string, other: string): boolean =>
  sessionIdentity(one) === sessionIdentity(other);
