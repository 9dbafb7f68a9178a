import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { WebhookEvent, WebhookEndpoint } from '../../../../ledger';
import { closesLater } from '../test-ledger';

/** A secret in the format of `paysession webhooks new-secret`. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface Received {
  readonly id: string;
  readonly event: WebhookEvent;
  readonly headers: IncomingHttpHeaders;
}

export interface Receiver {
  readonly endpoint: WebhookEndpoint;
  /** The accepted messages, in order. */
  readonly received: readonly Received[];
  /** Returns the kinds of a session’s accepted messages. A message that was received twice counts once. */
  readonly of: (key: string) => readonly string[];
  /** Returns the HTTP status for a message, or `undefined` to cut the connection. Tests may replace this function. */
  answer: (message: Received) => number | undefined;
}

/**
 * Starts a receiver of webhooks, such as a merchant’s system. It runs until the test ends, and checks signatures. With `onBody`, it
 * checks nothing: it passes each body to `onBody` and accepts every message.
 */
export async function startReceiver(
  options: Partial<WebhookEndpoint> = {},
  onBody?: (body: string) => void,
): Promise<Receiver> {
  const received: Received[] = [];
  const verifier = new Webhook(SECRET);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (onBody !== undefined) {
        onBody(body);
        response.writeHead(204).end();
        return;
      }
      const headers = request.headers as Record<string, string>;
      const event = verifier.verify(body, headers) as WebhookEvent;
      const message = { id: headers['webhook-id'] ?? '', event, headers };
      const status = receiver.answer(message);
      if (status === undefined) {
        request.socket.destroy();
        return;
      }
      if (status < 300) received.push(message);
      response.writeHead(status).end('thank you');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closesLater(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/webhooks`;
  const receiver: Receiver = {
    endpoint: { name: 'shop', url, secrets: [SECRET], ...options },
    received,
    of: (key) => {
      const known = new Map(
        received.filter(({ event }) => event.data.key === key).map(({ id, event }) => [id, event.type]),
      );
      return [...known.values()];
    },
    answer: () => 204,
  };
  return receiver;
}
