import { expect } from '@jest/globals';

/** Options that let `paysession dev` use free ports. */
export const FREE_PORTS = ['temporal', 'ui', 'sandbox', 'control', 'shop', 'console'].flatMap((name) => [
  `--${name}-port`,
  '0',
]);

/** Orders a lamp in the sample shop, and returns the path of the order's page. */
export async function orderAt(shop: string): Promise<string> {
  const form = await (await fetch(`${shop}/buy/lamp`)).text();
  const body = new URLSearchParams({ method: 'debit', comeBack: 'messages' });
  for (const [, name = '', value = ''] of form.matchAll(/name="(\w+)"[^>]* value="([^"]*)"/g)) {
    if (!body.has(name)) body.set(name, value);
  }
  const answer = await fetch(`${shop}/buy/lamp`, { method: 'POST', body, redirect: 'manual' });
  expect(answer.status).toBe(303);
  return answer.headers.get('location') ?? '';
}
