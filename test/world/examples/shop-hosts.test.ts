import { afterEach, expect, test } from '@jest/globals';
import type { PaymentSessions } from 'paysession';
import { askForHost } from '../../support/ask-for-host';
import { createShop } from '../../support/worlds/shop';

let close: (() => Promise<void>) | undefined;

afterEach(() => close?.());

/** Opens a shop without sessions, which can only show its catalogue. */
async function openCatalogue(allowedHosts?: readonly string[]): Promise<string> {
  const sessions: unknown = {};
  const shop = createShop({
    sessions: sessions as PaymentSessions,
    ...(allowedHosts !== undefined && { allowedHosts }),
  });
  close = () => shop.close();
  return (await shop.listen()).url;
}

test.each(['127.0.0.1:4020', 'localhost', 'LOCALHOST:4020', '[::1]:4020'])(
  'the sample shop answers requests for the host %s',
  async (host) => {
    expect(await askForHost(await openCatalogue(), host)).toMatchObject({
      status: 200,
      body: expect.stringContaining('Desk lamp'),
    });
  },
);

test.each([
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example:4020',
  '10.0.0.7',
  'shop.example',
])(
  'the sample shop refuses requests for the host %s, because pages of that host could read its answers',
  async (host) => {
    const { status, body } = await askForHost(await openCatalogue(), host);
    expect([status, body]).toEqual([403, expect.not.stringContaining('Desk lamp')]);
  },
);

test('the sample shop answers requests for the configured hosts', async () => {
  const url = await openCatalogue(['shop.example']);
  expect((await askForHost(url, 'Shop.example')).status).toBe(200);
});
