/**
 * A transport error's code, such as `ECONNREFUSED`, or else its name. Its message and its other members are left
 * behind: a parser's error carries bytes of the response, which may hold personal data.
 */
export function transportReason(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  const word = [code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return typeof word === 'string' ? word : 'CONNECTION_FAILED';
}
