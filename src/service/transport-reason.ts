/**
 * A transport error's code, such as `ECONNREFUSED`. Its message and its other members are left behind: a parser's
 * error carries bytes of the response, which may hold personal data.
 */
export function transportReason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'CONNECTION_FAILED';
}
