import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { HttpProblem, PROBLEM_TYPE, problemBody } from './problems';

/** The longest part of a path that a route takes as a parameter, such as an id; Node refuses longer request lines. */
const MAX_PARAM_LENGTH = 16_384;

/** Limits of a server. */
export interface ServerLimits {
  /** The time in which a whole request must arrive, in milliseconds. Slower requests are answered 408. */
  readonly requestTimeoutMs: number;
  /** The interval of the check for requests that exceed this time, in milliseconds. */
  readonly lookEveryMs: number;
  /** The maximum number of connections of all callers together. Any further connection is closed at once. */
  readonly maxConnections: number;
}

const LIMITS: ServerLimits = { requestTimeoutMs: 30_000, lookEveryMs: 5_000, maxConnections: 1_000 };

/** Returns a server that takes bodies as bytes, and has no routes yet. */
export function httpServer(
  bodyLimit: number,
  { requestTimeoutMs, lookEveryMs, maxConnections }: ServerLimits = LIMITS,
): FastifyInstance {
  const app = fastify({
    bodyLimit,
    requestTimeout: requestTimeoutMs,
    // `headersTimeout` is a minute by default. If it is longer than the time for the whole request, Node swaps the two.
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

/** Lets a path with a malformed escape through undecoded, so that a malformed id counts as unknown (contract A53). */
function decodable(url: string): string {
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

/** Node's code of a request that did not arrive in time. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** The time in which a caller must read the answer, in milliseconds. */
const TAKEN_WITHIN_MS = 1_000;

/** Answers an invalid request, and closes the connection even if the caller does not. */
function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // A caller that keeps sending invalid data already has the answer.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(answerOf(unreadable(error.code)));
  // Data after a late request must not become another request. After other errors, the connection stays open for a while: otherwise, a
  // caller that is still sending would lose the answer.
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
