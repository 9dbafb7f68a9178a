import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookReceiver } from './receiver';

/**
 * Serves the receiver until the process is stopped. It answers at any path, and prints the key of each delivered order.
 */
function main(): void {
  const secret = process.env['PAYSESSION_WEBHOOK_SECRET'];
  if (secret === undefined)
    throw new Error('Set PAYSESSION_WEBHOOK_SECRET: `paysession webhooks new-secret` prints a new secret.');
  const receive = webhookReceiver(secret, {
    messages: new Set(),
    deliver: (key) => {
      console.log(`delivered ${key}`);
    },
  });
  const server = createServer((request, response) => void receive(request, response));
  server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
  });
}

main();
