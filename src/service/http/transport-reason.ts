/**
 * A transport error's code, such as `ECONNREFUSED`, or else its name; of a proxy that opens no tunnel its status, such as `PROXY_407`. Its message and its other members are left
 * behind: a parser's error carries bytes of the response, which may hold personal data.
 */
export function transportReason(error: unknown): string {
  const { code, name, message } = (error ?? {}) as { readonly [K in 'code' | 'name' | 'message']?: unknown };
  const [, status] = /^Proxy response \((\d{3})\)/.exec(String(message)) ?? [];
  if (status !== undefined) return `PROXY_${status}`;
  const word = [code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return typeof word === 'string' ? word : 'CONNECTION_FAILED';
}
