import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { toPortError } from '../../../src/errors';
import type { Authorize } from './authorize';
import type { RemoteCodec } from './remote-codec';

/** Options of `serveCodec`. */
export interface CodecServerOptions {
  readonly codec: RemoteCodec;
  readonly host: string;
  readonly port: number;
  /** The namespace whose payloads it decrypts; others are refused. */
  readonly namespace: string;
  /** The web page that may call it, such as that of Temporal’s UI. @default none: only programs may */
  readonly origin?: string;
  /** @default everybody is let in */
  readonly authorize?: Authorize;
  /** Whether it encrypts, too, for Temporal’s command line to start and signal workflows. */
  readonly allowEncode: boolean;
}

/** A codec server that listens. */
export interface CodecServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The payloads of a whole history, which the engine bounds; in base64 they are a third longer. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Temporal’s protocol for codec servers: `POST /decode` and `/encode`. Throws `PaysessionError` `PORT_IN_USE`. */
export async function serveCodec(options: CodecServerOptions): Promise<CodecServer> {
  const server = Fastify({ bodyLimit: MAX_BODY_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  server.addHook('onRequest', (request, reply) => admit(request, reply, options));
  server.setErrorHandler<{ statusCode?: number }>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    // A connection that is closed while the caller still sends may lose the answer.
    if (status === 413) reply.removeHeader('connection');
    void reply.code(status).send({ message: MESSAGES[status] ?? 'the payloads cannot be read' });
  });
  addRoute(server, '/decode', (body) => options.codec.decode(body));
  if (options.allowEncode) addRoute(server, '/encode', (body) => options.codec.encode(body));
  try {
    const url = await server.listen({ host: options.host, port: options.port });
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw toPortError(error, options.port, 'Choose another one with --port,');
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  413: `a request may have ${MAX_BODY_BYTES} bytes`,
  415: 'a request must be application/json',
};

function addRoute(server: FastifyInstance, path: string, convert: RemoteCodec['decode']): void {
  server.post(path, async (request, reply) => {
    const answer = await convert(request.body);
    return answer ?? reply.code(400).send({ message: 'the body must be {"payloads":[…]}' });
  });
}

/** Answers a preflight, and refuses whom the options don’t let in. */
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
  // Whoever gives no token learns nothing, not even the paths.
  if (authorize !== undefined && !(await authorize(bearerOf(request)))) {
    void reply.header('www-authenticate', 'Bearer');
    return refuse(reply, 401, 'the bearer token is missing or not accepted');
  }
  // Temporal’s command line sends an empty one where it uses the default namespace.
  const asked = request.headers['x-namespace'] ?? '';
  if (asked !== '' && asked !== namespace)
    return refuse(reply, 403, 'the codec server serves another namespace');
  return undefined;
}

/** The headers that Temporal’s UI sends, and no others. */
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
