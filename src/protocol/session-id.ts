/** Whether a text has the form of the service's session ids, a UUID (contract A10). */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}
