import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Server, Socket } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { toPortError, isPaysessionError } from '../../src/errors';

/**
 * A codec server for Temporal. Temporal's web UI and command line send encrypted payloads to it, and it returns the decrypted payloads.
 */

/** Resolves with true if a request with this bearer token is allowed. */
export type Authorize = (token: string) => Promise<boolean>;

/** Options of `serveCodec`. */
export interface CodecServerOptions {
  readonly codec: RemoteCodec;
  readonly host: string;
  readonly port: number;
  /** The namespace whose payloads the server decrypts. Requests for other namespaces are refused. */
  readonly namespace: string;
  /** The origin of the web page that may call the server, such as the origin of Temporal’s UI. @default none: only programs may call the server */
  readonly origin?: string;
  /** Checks the bearer token of each request. @default all requests are allowed */
  readonly authorize?: Authorize;
  /** True if the server also encrypts, so that Temporal’s command line can start and signal workflows. */
  readonly allowEncode: boolean;
  /**
   * The time within which a complete request must arrive, in milliseconds. Its headers must arrive within a third of that time. If a request is late,
   * its connection is closed. @default 15000
   */
  readonly requestTimeoutMs?: number;
}

/** A running codec server. */
export interface CodecServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The maximum size of a request. It is enough for all payloads of a session's history, which are a third longer in base64. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/**
 * The maximum number of opening brackets and commas in a request, a measure of the number of values. A payload of paysession has six. Without this
 * limit, a request with millions of small values would block all other callers, or use up the memory.
 */
const MAX_PARTS = 500_000;
/** The limits of connections. They are needed, because each request takes memory. */
const CONNECTIONS: ConnectionLimits = { most: 100, mostOfPeer: 50 };
/** The time for which an unused connection stays open. */
const KEEP_ALIVE_MS = 5_000;
/** The number of times that Node checks for late requests within `requestTimeoutMs`. */
const CHECKS_PER_TIMEOUT = 6;

/**
 * Serves Temporal’s protocol for codec servers: `POST /decode` and, with `allowEncode`, also `POST /encode`. Throws `PaysessionError` `PORT_IN_USE`
 * if the port is taken, and `INVALID_SETTINGS` if this user may not listen on the port.
 */
export async function serveCodec(options: CodecServerOptions): Promise<CodecServer> {
  const { requestTimeoutMs = 15_000 } = options;
  const server = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Without this, `close` would wait for connections on which nothing was sent.
    forceCloseConnections: true,
    http: {
      headersTimeout: Math.ceil(requestTimeoutMs / 3),
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / CHECKS_PER_TIMEOUT),
    },
  });
  const connections = new Connections(server.server, CONNECTIONS);
  const parse = server.getDefaultJsonParser('error', 'ignore');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (partsOf(body) > MAX_PARTS) done(refusal(413));
    else if (!isUtf8(body)) done(refusal(400));
    else void parse(request, body.toString(), done);
  });
  server.addHook('onRequest', (request, reply) => admit(request, reply, options));
  server.addHook('preHandler', ({ raw }, _reply, done) => {
    connections.answering(raw.socket);
    done();
  });
  server.addHook('onResponse', ({ raw }, _reply, done) => {
    connections.answered(raw.socket);
    done();
  });
  server.setErrorHandler<{ statusCode?: number }>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    // The connection stays open. If it were closed while the caller still sends, the caller might not receive the answer.
    if (status === 413) reply.removeHeader('connection');
    void reply.code(status).send({ message: MESSAGES[status] ?? 'the payloads cannot be read' });
  });
  addRoute(server, '/decode', (body, gone) => options.codec.decode(body, gone));
  if (options.allowEncode) addRoute(server, '/encode', (body, gone) => options.codec.encode(body, gone));
  try {
    const url = await server.listen({ host: options.host, port: options.port });
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw toPortError(error, options.port, 'Choose another port with --port,');
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  413: `a request may have ${MAX_BODY_BYTES} bytes, and ${MAX_PARTS} objects, lists and members in all`,
  415: 'a request must be application/json',
};

function addRoute(server: FastifyInstance, path: string, convert: RemoteCodec['decode']): void {
  server.post(path, async (request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      gone.abort();
    });
    const answer = await convert(request.body, gone.signal);
    return answer ?? reply.code(400).send({ message: 'the body must be {"payloads":[…]}' });
  });
}

const refusal = (statusCode: number): Error => Object.assign(new Error('unreadable'), { statusCode });

const LIST = 0x5b;
const OBJECT = 0x7b;
const COMMA = 0x2c;

/** Counts the opening brackets and commas of a text, including those inside quotes. A JSON text has at most one value more than this number. */
function partsOf(body: Buffer): number {
  let parts = 0;
  for (const byte of body) if (byte === COMMA || byte === OBJECT || byte === LIST) parts += 1;
  return parts;
}

/** Answers CORS preflight requests, and refuses callers that the options do not allow. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { origin, authorize, namespace }: CodecServerOptions,
): Promise<unknown> {
  const asking = request.headers.origin;
  if (asking !== undefined) {
    if (asking !== origin) return refuse(reply, 403, 'this page may not call the codec server');
    allowPage(reply, asking);
    if (request.method === 'OPTIONS') return reply.code(204).send();
  }
  // The token is checked before the path, so that a caller without a valid token cannot find out which paths exist.
  if (authorize !== undefined && !(await authorize(bearerOf(request)))) {
    void reply.header('www-authenticate', 'Bearer');
    return refuse(reply, 401, 'the bearer token is missing or not accepted');
  }
  // Temporal’s command line sends an empty header if it uses the default namespace.
  const asked = request.headers['x-namespace'] ?? '';
  if (asked !== '' && asked !== namespace)
    return refuse(reply, 403, 'the codec server serves another namespace');
  return undefined;
}

/** Allows a web page to send the headers that Temporal’s UI sends. */
function allowPage(reply: FastifyReply, origin: string): void {
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'Authorization, Content-Type, X-Namespace',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message });
}

function bearerOf({ headers }: FastifyRequest): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Limits of a server's connections. */
export interface ConnectionLimits {
  /** The maximum number of connections in all. */
  readonly most: number;
  /** The maximum number of connections from one address. */
  readonly mostOfPeer: number;
}

/**
 * Limits a server's connections, both in all and from each address. When a limit is reached, a new connection replaces the oldest one that has not
 * brought a complete request. So slow callers cannot keep others out. If all connections are being answered, the new connection is closed.
 */
export class Connections {
  /** The open connections, the oldest first. */
  readonly #open = new Map<Socket, { readonly peer: string; isAnswered: boolean }>();
  readonly #limits: ConnectionLimits;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => {
      this.#take(socket);
    });
  }

  /** Records that the connection has brought a complete request, which is being answered. */
  answering(socket: Socket): void {
    const known = this.#open.get(socket);
    if (known !== undefined) known.isAnswered = true;
  }

  /** Records that the answer was sent. The connection now waits for another request, and counts as the newest one. */
  answered(socket: Socket): void {
    const known = this.#open.get(socket);
    if (known === undefined) return;
    this.#open.delete(socket);
    this.#open.set(socket, { ...known, isAnswered: false });
  }

  #take(socket: Socket): void {
    const peer = socket.remoteAddress ?? '';
    const { most, mostOfPeer } = this.#limits;
    const ofPeer = Array.from(this.#open.values()).filter((one) => one.peer === peer);
    const isRoom =
      (ofPeer.length < mostOfPeer || this.#makeRoom(peer)) && (this.#open.size < most || this.#makeRoom());
    if (!isRoom) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, { peer, isAnswered: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  #makeRoom(ofPeer?: string): boolean {
    for (const [socket, { peer, isAnswered }] of this.#open) {
      if (isAnswered || (ofPeer !== undefined && peer !== ofPeer)) continue;
      this.#open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}

/** Bytes in the form in which Temporal’s UI and command line send them. Protobuf’s JSON has bytes in base64. */
const base64 = z.string().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const payloadSchema = z.object({
  metadata: z.record(z.string(), base64).default({}),
  data: base64.optional(),
});
const requestSchema = z.object({ payloads: z.array(z.unknown()).default([]) });

/** The maximum number of payloads that are converted without a pause. Other requests are served in the pauses. */
const AT_A_STRETCH = 200;

interface JsonPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data?: string;
}

export interface CodecAnswer {
  readonly payloads: readonly JsonPayload[];
}

/** The operations of a codec server. */
export interface RemoteCodec {
  /**
   * Decrypts the payloads in a request's body. Resolves with `undefined` if the body is malformed. If the caller disconnects, `gone` aborts, and the
   * method may reject with its reason.
   */
  decode(body: unknown, gone?: AbortSignal): Promise<CodecAnswer | undefined>;
  encode(body: unknown, gone?: AbortSignal): Promise<CodecAnswer | undefined>;
}

/**
 * Returns the operations of a codec server that uses `codec`.
 *
 * @param onRefused receives the reason why a payload was not decrypted. Such a payload is returned unchanged, so that the others can be read
 */
export function remoteCodec(
  codec: PayloadCodec,
  namespace: string,
  onRefused: (reason: string) => void,
): RemoteCodec {
  const context = { type: 'workflow', namespace, workflowId: '' } as const;
  const decodeOne = async (payload: Payload): Promise<Payload[]> => {
    try {
      return await codec.decode([payload], context);
    } catch (error) {
      if (!isPaysessionError(error)) throw error;
      onRefused(error.message);
      return [payload];
    }
  };
  return {
    decode: (body, gone) =>
      convert(body, gone, async (payloads) => (await Promise.all(payloads.map(decodeOne))).flat()),
    encode: (body, gone) => convert(body, gone, (payloads) => codec.encode(payloads, context)),
  };
}

async function convert(
  body: unknown,
  gone: AbortSignal | undefined,
  through: (payloads: Payload[]) => Promise<Payload[]>,
): Promise<CodecAnswer | undefined> {
  const request = requestSchema.safeParse(body);
  if (!request.success) return undefined;
  const { payloads } = request.data;
  const converted: JsonPayload[] = [];
  for (let at = 0; at < payloads.length; at += AT_A_STRETCH) {
    if (at > 0) await nextTurn();
    gone?.throwIfAborted();
    const some = z.array(payloadSchema).safeParse(payloads.slice(at, at + AT_A_STRETCH));
    if (!some.success) return undefined;
    converted.push(...(await through(some.data.map(toPayload))).map(toJson));
  }
  return { payloads: converted };
}

const toPayload = ({ metadata, data }: z.infer<typeof payloadSchema>): Payload => ({
  metadata,
  ...(data !== undefined && { data }),
});

function toJson({ metadata, data }: Payload): JsonPayload {
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, toBase64(bytes)] as const);
  return { metadata: Object.fromEntries(texts), ...(data != null && { data: toBase64(data) }) };
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
