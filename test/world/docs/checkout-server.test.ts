import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { PaymentSessions } from '../../../src';
import { openCheckoutProject } from '../../support/docs/checkout-project';
import { eft } from '../../support/requests';
import { use } from '../../support/worlds/use';

const project = use(openCheckoutProject, (opened) => opened.close());

test.each(['server.mjs', 'fastify-server.mjs'])(
  'the checkout guide’s %s takes a payment from its page',
  (name) =>
    project.serving(name, async (url) => {
      expect(await (await fetch(url)).text()).toContain("import { embedCheckout } from '/embed.js'");
      const embed = await fetch(`${url}/embed.js`);
      expect([embed.headers.get('content-type'), await embed.text()]).toEqual([
        expect.stringContaining('text/javascript'),
        expect.stringContaining('export'),
      ]);
      const order = `${url}/orders/order-${name.length}`;
      const { checkoutUrl } = (await (await fetch(order, { method: 'POST' })).json()) as {
        checkoutUrl: string;
      };
      const sessionId = new URL(checkoutUrl).searchParams.get('sessionId');
      const played = await fetch(`${project.control}/sessions/${sessionId}/play`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choice: 'completed' }),
      });
      expect(played.status).toBe(200);
      await fetch(`${order}/refresh`, { method: 'POST' });
      expect(await (await fetch(order)).json()).toMatchObject({ paid: true, phase: 'ended' });
      expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    }),
);

test.each(['server.mjs', 'fastify-server.mjs'])(
  'the checkout guide’s %s answers an error with its HTTP status',
  (name) =>
    project.serving(name, async (url) => {
      const connection = await Connection.connect({ address: project.address });
      try {
        const key = `taken-${name.length}`;
        await new PaymentSessions(new Client({ connection })).start({ key, request: eft() });
        const statusOf = async (order: string, method: string) =>
          (await fetch(`${url}/orders/${order}`, { method })).status;
        expect(await statusOf('order_1', 'POST')).toBe(400);
        expect(await statusOf('unknown', 'GET')).toBe(404);
        expect(await statusOf(key, 'POST')).toBe(409);
      } finally {
        await connection.close();
      }
    }),
);
