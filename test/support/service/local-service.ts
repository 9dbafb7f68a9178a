import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { PaymentService, type PaymentServiceOptions } from '../../../src/service';
import type { CreateOutcome } from '../../../src/protocol/activities';

/** A request that the server received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request, or misbehaves. `count` is the number of requests so far whose path has the same ending. */
export type Behaviour = (response: ServerResponse, received: Received, count: number) => void;

export interface LocalService {
  readonly baseUrl: string;
  readonly received: readonly Received[];
  /** Returns the received requests whose path ends with `pathEnd`. */
  requests(pathEnd: string): readonly Received[];
  /** Resolves once `count` requests whose path ends with `pathEnd` have arrived. */
  arrived(pathEnd: string, count?: number): Promise<void>;
  /** Stops listening and ends all connections. */
  stop(): Promise<void>;
  readonly server: Server;
}

type CleanUp = () => Promise<void>;
const cleanUps: CleanUp[] = [];

/** Closes every server and client of a test, for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const close of cleanUps.splice(0).reverse()) await close();
}

export const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Answers with `token-1`, `token-2` and so on. */
export const giveToken: Behaviour = (response, _received, count) => {
  json(response, 200, { access_token: `token-${count}`, token_type: 'bearer', expires_in: 599 });
};

/** Starts a service. `behaviours` maps the ending of a path to its behaviour. By default, `/authorize` issues tokens. */
export async function localService(behaviours: Readonly<Record<string, Behaviour>>): Promise<LocalService> {
  const received: Received[] = [];
  const arrivals = new EventEmitter();
  const all: Record<string, Behaviour> = { '/authorize': giveToken, ...behaviours };
  const requests = (pathEnd: string): Received[] => received.filter(({ path }) => path.endsWith(pathEnd));
  const server = createServer((request, response) => {
    void readRequest(request).then((one) => {
      received.push(one);
      const pathEnd = Object.keys(all).find((end) => one.path.endsWith(end)) ?? '';
      all[pathEnd]?.(response, one, requests(pathEnd).length);
      arrivals.emit('arrival');
    });
  });
  const baseUrl = await listen(server);
  return {
    baseUrl,
    received,
    requests,
    server,
    arrived: async (pathEnd, count = 1) => {
      while (requests(pathEnd).length < count) await once(arrivals, 'arrival');
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: Buffer.concat(chunks).toString() };
}

/** Makes a server listen on a free local port, and returns its URL. `cleanUp` stops the server. */
export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a client of a service at `baseUrl`. `cleanUp` closes it. */
export function client(baseUrl: string, options: Partial<PaymentServiceOptions> = {}): PaymentService {
  const account = { baseUrl, clientId: 'client', clientSecret: 'secret' };
  const service = new PaymentService({ account, closeTimeoutMs: 100, ...options });
  cleanUps.push(() => service.close());
  return service;
}

/** Resets the connection, as a crashing server does. */
export const reset: Behaviour = (response) => {
  response.socket?.resetAndDestroy();
};

/** Reads the request and never answers. */
export const hang: Behaviour = () => undefined;

/** Sends the headers and a part of the body, then resets. */
export const truncate =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1_000 });
    response.write('{"sessionId":', () => response.socket?.destroy());
  };

/** Answers a create request correctly. */
export const created: Behaviour = (response, { body }) => {
  const { referenceId = null } = JSON.parse(body) as { readonly referenceId?: unknown };
  json(response, 201, { sessionId: SESSION_ID, referenceId });
};

export const SESSION_ID = '6f0f1d5e-6b8e-4a54-9d10-0c3a5a2b7c11';

/** Returns the outcome of a create request, with the error code if it failed. */
export const judged = (outcome: CreateOutcome) =>
  outcome.outcome === 'created' ? ['created'] : [outcome.outcome, outcome.failure.code];

/** Behaves as `accept` if the request has this token. Otherwise answers 401. */
export const accepting =
  (token: string, accept: Behaviour): Behaviour =>
  (response, received, count) => {
    if (received.headers.authorization === `Bearer ${token}`) accept(response, received, count);
    else json(response, 401, { title: 'Unauthorized' });
  };
