import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { HttpProblem, PROBLEM_TYPE, problemBody } from './problems';

/** The maximum length of a path parameter, such as an id. Node refuses request lines that are longer than this. */
const MAX_PARAM_LENGTH = 16_384;

/** Limits of a server. */
export interface ServerLimits {
  /** The time in which a whole request must arrive, in milliseconds. The server answers a slower request with 408. */
  readonly requestTimeoutMs: number;
  /** The interval at which the server checks for slow requests, in milliseconds. */
  readonly lookEveryMs: number;
  /** The maximum number of connections of all callers together. Additional connections are closed at once. */
  readonly maxConnections: number;
}

const LIMITS: ServerLimits = { requestTimeoutMs: 30_000, lookEveryMs: 5_000, maxConnections: 1_000 };

/** Returns a server without routes. It passes bodies to routes as bytes. */
export function httpServer(
  bodyLimit: number,
  { requestTimeoutMs, lookEveryMs, maxConnections }: ServerLimits = LIMITS,
): FastifyInstance {
  const app = fastify({
    bodyLimit,
    requestTimeout: requestTimeoutMs,
    // `headersTimeout` is a minute by default. If it is longer than `requestTimeout`, Node swaps the two.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: lookEveryMs },
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => decodable(url),
    clientErrorHandler: answerUnreadable,
  });
  app.server.maxConnections = maxConnections;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  return app;
}

/**
 * Changes a path with a malformed escape so that Fastify does not decode it. A malformed id then counts as an unknown id (contract
 * rule A53, docs/contract.md).
 */
function decodable(url: string): string {
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

/** Node's error code for a request that did not arrive in time. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** The time that a caller has to read the answer, in milliseconds. */
const TAKEN_WITHIN_MS = 1_000;

/** Answers an invalid request, and closes the connection even if the caller does not. */
function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // If the caller keeps sending invalid data, it has already been answered.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(answerOf(unreadable(error.code)));
  // After a late request, the connection is closed at once, so that later data does not become another request. After
  // other errors, the connection stays open for a while, because a caller that is still sending would otherwise lose
  // the answer.
  if (error.code === LATE) socket.destroySoon();
  const timer = setTimeout(() => socket.destroy(), TAKEN_WITHIN_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

function unreadable(code: string | undefined): HttpProblem {
  switch (code) {
    case LATE:
      return new HttpProblem(408, 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new HttpProblem(431, 'The headers of the request are too large.');
    default:
      return new HttpProblem(400, 'The request is not well-formed HTTP.');
  }
}

function answerOf(problem: HttpProblem): string {
  const body = JSON.stringify(problemBody(problem));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
