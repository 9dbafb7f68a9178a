import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newsReceiver } from './receiver';

/** Serves `POST /news` until it is stopped, and prints what it delivers. */
function main(): void {
  const secret = process.env['PAYSESSION_NEWS_SECRET'];
  if (secret === undefined)
    throw new Error('set PAYSESSION_NEWS_SECRET: `paysession news new-secret` makes one');
  const receive = newsReceiver(secret, {
    messages: new Set(),
    deliver: (key) => {
      console.log(`delivered ${key}`);
    },
  });
  const server = createServer((request, response) => void receive(request, response));
  server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/news`);
  });
}

main();
