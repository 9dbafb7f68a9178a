/** Session ids, as the service gives them out (contract A10). */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a value has the form of the service's session ids: a UUID, in upper or lower case. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Whether two ids name the same session: the case of a UUID's letters means nothing. */
export function isSameSession(one: string, other: string): boolean {
  return one === other || (isSessionId(one) && one.toLowerCase() === other.toLowerCase());
}
