import { once } from 'node:events';
import { createServer } from 'node:http2';
import process from 'node:process';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { paymentSession } from './workflow.js';

process.once('disconnect', () => process.exit());

// Restate's SDK calls this function, which Node has only from version 22 on.
Promise.withResolvers ??= () => {
  /** @type {any} */
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

const server = createServer(createEndpointHandler({ services: [paymentSession] }));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
process.send?.({ url: `http://127.0.0.1:${port}` });
